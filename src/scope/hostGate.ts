// The one way from the sandbox to the network: a proxy that connects to allowed hosts and to nothing else.
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Launch } from "./launch.ts";

/** Whether a host is one of these; `*.example.org` stands for every host below example.org. */
export function isAllowed(host: string, hosts: readonly string[]): boolean {
  const named = host.toLowerCase();
  return hosts.some((one) => {
    const allowed = one.toLowerCase();
    return allowed.startsWith("*.") ? named.endsWith(allowed.slice(1)) : named === allowed;
  });
}

/**
 * Opens the proxy.
 * @param place where its socket is to be
 * @param hosts asked at every connection
 */
export async function openHostGate(place: string, hosts: () => readonly string[]): Promise<{ close(): void }> {
  const server = createServer((asked, answer) => {
    const url = URL.parse(asked.url ?? "");
    if (url?.protocol === "http:" && isAllowed(url.hostname, hosts())) forward(url, asked, answer);
    else answer.writeHead(403, { "content-type": "text/plain" }).end(refusal(url?.hostname));
  });
  server.on("connect", (asked: IncomingMessage, inside: Duplex, head: Buffer) => {
    const url = URL.parse(`tunnel://${asked.url ?? ""}`);
    if (url && url.port !== "" && isAllowed(url.hostname, hosts())) tunnel(url, inside, head);
    else inside.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusal(url?.hostname)}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(place, resolve);
  });
  return {
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function refusal(host = "this address"): string {
  return `Brain's sandbox does not let commands reach ${host}: the setting brain.allowedHosts names the hosts that it does.\n`;
}

function forward(url: URL, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked;
  const outside = request(url, { ...(method !== undefined && { method }), headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  outside.on("error", () => answer.destroy());
  asked.on("error", () => outside.destroy()).pipe(outside);
}

function tunnel({ hostname, port }: URL, inside: Duplex, head: Buffer): void {
  const outside = connect(Number(port), hostname.replaceAll(/^\[|\]$/g, ""), () => {
    inside.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    outside.write(head);
    outside.pipe(inside).pipe(outside);
  });
  outside.on("error", () => inside.destroy());
  inside.on("error", () => outside.destroy()).on("close", () => outside.destroy());
}

/** Where commands find the socket. */
export const gateInside = "/tmp/.brain-gate";
const port = 48_128;

/** Runs inside: the sandbox has a network of its own, and this is what in it leads to the socket. */
const relay = `
const net = require("node:net");
const { spawn } = require("node:child_process");
const { ELECTRON_RUN_AS_NODE, ...env } = process.env;
net.createServer((near) => {
  const far = net.connect("${gateInside}");
  near.on("error", () => far.destroy()).pipe(far).on("error", () => near.destroy()).pipe(near);
}).listen(${port}, "127.0.0.1", () => {
  const [file, ...args] = process.argv.slice(1);
  spawn(file, args, { stdio: "inherit", env })
    .on("error", (error) => { console.error(error.message); process.exit(127); })
    .on("exit", (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]));
});`;

const address = `http://127.0.0.1:${port}`;
const itself = "localhost,127.0.0.1,::1";
const proxied = {
  HTTP_PROXY: address,
  HTTPS_PROXY: address,
  http_proxy: address,
  https_proxy: address,
  NO_PROXY: itself,
  no_proxy: itself,
  NODE_USE_ENV_PROXY: "1",
};

/** The same program, told of the proxy. */
export function throughGate({ file, args, env }: Launch): Launch {
  return {
    file: process.execPath,
    args: ["-e", relay, "--", file, ...args],
    env: { ...env, ...proxied, ELECTRON_RUN_AS_NODE: "1" },
  };
}
