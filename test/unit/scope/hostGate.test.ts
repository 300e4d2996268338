// The gate to the network, on real sockets: what it holds, what it lets through, and where names may not lead.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type IncomingMessage } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HostTarget, Reached } from "../../../src/engine/ports.ts";
import { openHostGate, type HostGate } from "../../../src/scope/hostGate.ts";
import type { AskHost, LookUp } from "../../../src/scope/hostWay.ts";

/** A server of this machine that answers with what it was asked. */
async function listen(): Promise<{ readonly port: number; readonly asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = createServer((question, answer) => {
    asked.push(`${question.headers.host ?? ""}${question.url ?? ""}`);
    answer.end("hello");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  return {
    port,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Through the gate, by a tunnel. @returns what came back of the first answer, up to its end */
async function tunnel(gate: HostGate, authority: string): Promise<string> {
  const socket = connect(Number(gate.at), "127.0.0.1");
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  let said = "";
  for await (const chunk of socket) {
    said += String(chunk);
    if (said === "HTTP/1.1 200 Connection Established\r\n\r\n")
      socket.write("GET /through HTTP/1.1\r\nhost: inner\r\nconnection: close\r\n\r\n");
  }
  return said;
}

async function plain(gate: HostGate, url: string): Promise<string> {
  const asked = request({ host: "127.0.0.1", port: Number(gate.at), path: url, headers: { host: "another.test" } });
  const answer = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve).end());
  return `${answer.statusCode} ${await text(answer)}`;
}

const leadsTo =
  (...addresses: readonly string[]): LookUp =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));

interface Asked extends AsyncDisposable {
  readonly gate: HostGate;
  readonly targets: string[];
}

/** @param says the verdict on a host; null: refused */
async function open(says: (target: HostTarget) => Promise<Reached> | null, lookUp?: LookUp): Promise<Asked> {
  const targets: string[] = [];
  const ask: AskHost = (target) => {
    targets.push(`${target.host}:${target.port}${target.ruled ? "!" : ""}`);
    return says(target) ?? Promise.resolve({ kind: "refused", why: "no rule names it" });
  };
  const gate = await openHostGate(null, ask, lookUp);
  return { gate, targets, [Symbol.asyncDispose]: () => Promise.resolve(gate.close()) };
}

const allowed: Promise<Reached> = Promise.resolve({ kind: "allowed" });

describe("The gate to the network", () => {
  it("asks for what is connected to, in one spelling, and lets through what is allowed", async () => {
    await using server = await listen();
    const { port } = server;
    await using gated = await open(() => allowed, leadsTo("127.0.0.1"));
    const { gate, targets } = gated;
    assert.match(await tunnel(gate, `WWW.Example.org.:${port}`), /200 Connection Established[^]+hello/);
    assert.equal(await plain(gate, `http://example.org:${port}/a?b`), "200 hello");
    // The server is told of the host that was asked about.
    assert.deepEqual(server.asked, ["inner/through", `example.org:${port}/a?b`]);
    assert.deepEqual(targets, [
      `www.example.org:${port}`,
      `127.0.0.1:${port}!`,
      `example.org:${port}`,
      `127.0.0.1:${port}!`,
    ]);
  });

  it("never has this machine asked about, however its address is written; only a rule opens it", async () => {
    const spelled = [
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "0.0.0.0",
      "169.254.169.254",
      "localhost",
      "a.localhost",
    ];
    const six = ["[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fe80::1]"];
    await using gated = await open(({ ruled }) => (ruled ? null : allowed));
    for (const host of [...spelled, ...six]) {
      assert.match(
        await tunnel(gated.gate, `${host}:80`),
        /^HTTP\/1\.1 403[^]+may not reach .+: no rule names it\.\n$/,
        host,
      );
      assert.match(await plain(gated.gate, `http://${host}/`), /^403 Brain's sandbox: a command may not reach/, host);
    }
    assert.deepEqual(
      gated.targets.filter((target) => !target.endsWith("!")),
      [],
    );
    await using server = await listen();
    await using ruled = await open(({ host }) => (["127.0.0.1", "localhost"].includes(host) ? allowed : null));
    assert.equal(await plain(ruled.gate, `http://127.0.0.1:${server.port}/`), "200 hello");
    assert.equal(await plain(ruled.gate, `http://localhost:${server.port}/`), "200 hello");
  });

  it("lets no name lead to this machine, or into a network nearby, unless a rule names the address too", async () => {
    await using server = await listen();
    const by = (...hosts: string[]) =>
      open(({ host }) => (hosts.includes(host) ? allowed : null), leadsTo("10.1.2.3", "127.0.0.1"));
    await using name = await by("rebound.test");
    const refused = /leads to 10\.1\.2\.3, which is not in the world: a rule has to name that address/;
    assert.match(await tunnel(name.gate, `rebound.test:${server.port}`), refused);
    assert.match(await plain(name.gate, `http://rebound.test:${server.port}/`), refused);
    assert.equal(server.asked.length, 0);
    await using both = await by("rebound.test", "127.0.0.1");
    assert.equal(await plain(both.gate, `http://rebound.test:${server.port}/`), "200 hello");
    await using localhost = await open(({ host }) => (host === "localhost" ? allowed : null), leadsTo("10.1.2.3"));
    assert.match(await plain(localhost.gate, "http://localhost/"), refused);
  });

  it("looks no name up before it is allowed: names themselves could carry something out", async () => {
    const lookedUp: string[] = [];
    const lookUp: LookUp = (name) => {
      lookedUp.push(name);
      return Promise.resolve([]);
    };
    await using gated = await open(({ host }) => (host === "b.test" ? allowed : null), lookUp);
    assert.match(await tunnel(gated.gate, "secret.a.test:443"), /may not reach secret\.a\.test:443: no rule names it/);
    assert.match(await tunnel(gated.gate, "b.test:443"), /its name is not known/);
    assert.deepEqual(lookedUp, ["b.test"]);
  });

  it("holds a connection as long as nobody has answered, and connects for nobody who has left", async () => {
    await using server = await listen();
    const held: ((reached: Reached) => void)[] = [];
    let told = (): void => undefined;
    await using gated = await open(({ ruled }) => {
      if (ruled) return allowed;
      const answer = new Promise<Reached>((resolve) => held.push(resolve));
      told();
      return answer;
    }, leadsTo("127.0.0.1"));
    const isAsked = (): Promise<void> => new Promise((resolve) => (told = resolve));
    const authority = `example.org:${server.port}`;
    let asked = isAsked();
    const answered = tunnel(gated.gate, authority);
    await asked;
    assert.equal(server.asked.length, 0);
    held[0]?.({ kind: "allowed" });
    assert.match(await answered, /hello/);
    asked = isAsked();
    const leaving = connect(Number(gated.gate.at), "127.0.0.1");
    leaving.write(`CONNECT ${authority} HTTP/1.1\r\n\r\n`);
    await asked;
    gated.gate.close();
    await once(leaving, "close");
    held[1]?.({ kind: "allowed" });
    await nextTurn();
    assert.equal(server.asked.length, 1);
  });

  it("takes from servers no answer that is none, and goes on", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.once("data", () => socket.end("HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n"));
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    await using asked = await open(() => Promise.resolve({ kind: "allowed" }));
    try {
      for (let again = 0; again < 2; again++)
        assert.equal(await plain(asked.gate, `http://127.0.0.1:${address.port}/`), "502 ");
    } finally {
      server.close();
    }
  });

  it("takes no port that there is not, wherever it stands", async () => {
    await using asked = await open(() => Promise.resolve({ kind: "allowed" }), leadsTo("127.0.0.1"));
    for (const authority of ["example.org?:99999", "example.org:80?:99999", "example.org:80?"])
      assert.match(await tunnel(asked.gate, authority), /^HTTP\/1\.1 403 /);
    assert.deepEqual(asked.targets, []);
  });

  it("lets a server go whose answer nobody waits for any more", async () => {
    let gone = (): void => undefined;
    const left = new Promise<void>((resolve) => (gone = resolve));
    const server = createTcpServer((far) => {
      far.once("close", gone).on("error", () => undefined);
      far.resume().write("HTTP/1.1 200 OK\r\n\r\nand so on");
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const asked = await open(() => Promise.resolve({ kind: "allowed" }));
    const question = request({ port: Number(asked.gate.at), path: `http://127.0.0.1:${address.port}/` }).end();
    question.on("error", () => undefined).on("response", (answer) => answer.on("error", () => undefined).resume());
    await once(question, "response");
    await asked[Symbol.asyncDispose]();
    await left;
    server.close();
  });

  it("understands nothing but http and tunnels to a host and port", async () => {
    await using gated = await open(() => allowed, leadsTo("1.1.1.1"));
    for (const authority of [
      "example.org",
      "example.org:0x50",
      "example.org:99999",
      "a@b:80",
      "a/b:80",
      ":80",
      "a b:80",
    ])
      assert.match(await tunnel(gated.gate, authority), /^HTTP\/1\.1 40[03]/, authority);
    for (const url of ["/x", "ftp://example.org/", "https://example.org/"])
      assert.match(await plain(gated.gate, url), /^403 Brain's sandbox: This is no address/, url);
    assert.deepEqual(gated.targets, []);
  });
});
