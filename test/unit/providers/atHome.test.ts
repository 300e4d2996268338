// The fetch for servers at home: the same answers as the global one's, without its limits, and stopped as that is.
import assert from "node:assert/strict";
import { createServer, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { isAtHome, patientFetch } from "../../../src/providers/atHome.ts";

const dispatcher = Symbol.for("undici.globalDispatcher.1");

describe("a server at home", () => {
  let server: Server;
  let url = "";
  let asked: (response: ServerResponse, body: string) => void = () => undefined;

  before(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (bytes: Buffer) => (body += bytes.toString()));
      request.on("end", () => asked(response, body));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it("is one on this machine or in a private network", () => {
    for (const name of [
      "localhost",
      "127.0.0.1",
      "192.168.1.5",
      "172.20.0.1",
      "nas.local",
      "gpu",
      "[::1]",
      "[fd00::7]",
    ])
      assert.ok(isAtHome(name), name);
    for (const name of ["api.openai.com", "172.40.0.1", "8.8.8.8", "[2001:db8::1]"]) assert.ok(!isAtHome(name), name);
  });

  it("gets what was sent, and its answer is read as it comes", async () => {
    asked = (response, body) => {
      response.writeHead(418, { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"] });
      response.end(`got ${body}`);
    };
    const answer = await patientFetch(url, { method: "POST", body: "ä", headers: { "content-type": "text/plain" } });
    assert.deepEqual(
      [answer.status, await answer.text(), answer.headers.getSetCookie()],
      [418, "got ä", ["a=1", "b=2"]],
    );
  });

  it("is not sent on by a redirect, and may have nothing to say", async () => {
    asked = (response) => response.writeHead(302, { location: "http://other.example/" }).end();
    assert.equal((await patientFetch(url)).status, 302);
    asked = (response) => response.writeHead(204).end();
    assert.equal((await patientFetch(url)).body, null);
  });

  it("may read longer than the global fetch waits", async () => {
    await fetch(url);
    const usual: object = Reflect.get(globalThis, dispatcher);
    const held: ServerResponse[] = [];
    asked = (response) => void held.push(response);
    const waiting = patientFetch(url);
    Reflect.set(globalThis, dispatcher, Reflect.construct(usual.constructor, [{ headersTimeout: 1 }]));
    try {
      await assert.rejects(fetch(url), (error: Error) => /headers timeout/i.test(String(error.cause)));
    } finally {
      Reflect.set(globalThis, dispatcher, usual);
    }
    for (const response of held) response.end("at last");
    assert.equal(await (await waiting).text(), "at last");
  });

  it("is left when the signal says so, before the first byte and in the middle", async () => {
    const early = new AbortController();
    asked = () => early.abort();
    await assert.rejects(patientFetch(url, { signal: early.signal }), { name: "AbortError" });
    const late = new AbortController();
    asked = (response) => void response.write("one");
    const answer = await patientFetch(url, { signal: late.signal });
    late.abort();
    await assert.rejects(answer.text());
  });

  it("that is not there fails as with the global fetch", async () => {
    await assert.rejects(patientFetch("http://127.0.0.1:1/"), (error: Error) => {
      assert.ok(error instanceof TypeError);
      return Reflect.get(Object(error.cause), "code") === "ECONNREFUSED";
    });
  });
});
