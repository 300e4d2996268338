// The one way from the sandbox to the network: a proxy for one command, that holds each connection until it may go on.
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { bare, findWay, lookUpInSystem, type AskHost, type LookUp, type Target, type Way } from "./hostWay.ts";
import type { Launch } from "./launch.ts";

export interface HostGate {
  /** Where it listens: its socket's path, or its port on the loopback address. */
  readonly at: string | number;
  /** Ends it with all of its connections. Idempotent. */
  readonly close: () => void;
}

/**
 * @param place where its socket is to be; null: a port of this machine, that the system chooses
 * @param lookUp asked only for what may be reached: names themselves could carry something out
 */
export async function openHostGate(
  place: string | null,
  ask: AskHost,
  lookUp: LookUp = lookUpInSystem,
): Promise<HostGate> {
  const open = new Set<Duplex>();
  const wayTo: WayTo = (target) => findWay(target, ask, lookUp);
  const server = createServer((asked, answer) => void onRequest(asked, answer, wayTo));
  server.on("connection", (socket: Duplex) => open.add(socket.once("close", () => open.delete(socket))));
  server.on("connect", (asked: IncomingMessage, near: Duplex, head: Buffer) => {
    near.on("error", () => near.destroy());
    void onConnect(asked.url ?? "", { near, head }, wayTo);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (place === null) server.listen(0, "127.0.0.1", resolve);
    else server.listen(place, resolve);
  });
  const address = server.address();
  if (address === null) throw new Error("The sandbox’s way to the network could not be opened.");
  return {
    at: typeof address === "string" ? address : address.port,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** @param authority host and port, as a client writes them */
function targetOf(authority: string, usual: number | null): Target | null {
  const url = URL.parse(`http://${authority}`);
  const [, port = usual] = /^[^?#]*:(\d+)$/.exec(authority) ?? [];
  if (!url || port === null || url.username !== "" || url.pathname !== "/" || url.search !== "") return null;
  const host = url.hostname.replace(/\.+$/, "");
  return host === "" ? null : { host, port: Number(port) };
}

async function onRequest(asked: IncomingMessage, answer: ServerResponse, wayTo: WayTo): Promise<void> {
  const url = URL.parse(asked.url ?? "");
  const target = url?.protocol === "http:" ? targetOf(url.host, 80) : null;
  const way = target ? await wayTo(target) : null;
  if (asked.socket.destroyed) return;
  if (url && target && way?.kind === "open") return forward({ url, target, way }, asked, answer);
  answer.writeHead(403, { "content-type": "text/plain" }).end(refusal(target, way));
}

interface Tunnel {
  readonly near: Duplex;
  readonly head: Buffer;
}

async function onConnect(authority: string, { near, head }: Tunnel, wayTo: WayTo): Promise<void> {
  const target = targetOf(authority, null);
  const way = target ? await wayTo(target) : null;
  if (near.destroyed) return;
  if (!target || way?.kind !== "open")
    return void near.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusal(target, way)}`);
  const far = connect({ host: bare(target.host), port: target.port, lookup: way.lookup }, () => {
    near.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    far.write(head);
    far.pipe(near).pipe(far);
  });
  far.on("error", () => near.destroy());
  near.on("error", () => far.destroy()).on("close", () => far.destroy());
}

type WayTo = (target: Target) => Promise<Way>;

function refusal(target: Target | null, way: Way | null): string {
  if (!target || way?.kind !== "closed") return "Brain's sandbox: This is no address that a command can reach.\n";
  return `Brain's sandbox: a command may not reach ${target.host}:${target.port}: ${way.why}.\n`;
}

interface Forward {
  readonly url: URL;
  readonly target: Target;
  readonly way: Extract<Way, { kind: "open" }>;
}

function forward({ url, target, way }: Forward, asked: IncomingMessage, answer: ServerResponse): void {
  const { method = "GET" } = asked;
  // The server must not be told of another host than was asked about.
  const headers = { ...asked.headers, host: url.host };
  const options = {
    method,
    headers,
    lookup: way.lookup,
    host: bare(target.host),
    port: target.port,
    agent: false,
  } as const;
  const far = request({ ...options, path: `${url.pathname}${url.search}` }, (reply) => {
    const { statusCode = 0 } = reply;
    // A server may say anything, and not all of it can be handed on.
    if (statusCode >= 200) answer.writeHead(statusCode, reply.headers);
    else answer.writeHead(502);
    reply.pipe(answer);
  });
  far.on("error", () => answer.destroy());
  answer.on("close", () => far.destroy());
  asked.on("error", () => far.destroy()).pipe(far);
}

/** Where a command finds the socket: in a folder that no other command shares. */
export const gateInside = "/dev/brain-gate";
const relayPort = 48_128;

/** Runs inside: the sandbox has a network of its own, and this is what in it leads to the socket. */
const relay = `
const net = require("node:net");
const { spawn } = require("node:child_process");
const { ELECTRON_RUN_AS_NODE, ...env } = process.env;
net.createServer((near) => {
  const far = net.connect("${gateInside}");
  near.on("error", () => far.destroy()).pipe(far).on("error", () => near.destroy()).pipe(near);
}).listen(${relayPort}, "127.0.0.1", () => {
  const [file, ...args] = process.argv.slice(1);
  spawn(file, args, { stdio: "inherit", env })
    .on("error", (error) => { console.error(error.message); process.exit(127); })
    .on("exit", (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]));
});`;

const itself = "localhost,127.0.0.1,::1";

/** The same program, told of a proxy on a port of the loopback address. */
export function toldOfProxy(launch: Launch, port: number): Launch {
  const address = `http://127.0.0.1:${port}`;
  const proxied = {
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    http_proxy: address,
    https_proxy: address,
    NO_PROXY: itself,
    no_proxy: itself,
    NODE_USE_ENV_PROXY: "1",
  };
  return { ...launch, env: { ...launch.env, ...proxied } };
}

/** The same program where the gate's socket has to be brought to a port first. */
export function throughRelay(launch: Launch): Launch {
  const { file, args, env } = toldOfProxy(launch, relayPort);
  return {
    file: process.execPath,
    args: ["-e", relay, "--", file, ...args],
    env: { ...env, ELECTRON_RUN_AS_NODE: "1" },
  };
}
