// Pages that a message names: what a server on the loopback address answers, as text, and what is not taken.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { Reach } from "../../../src/scope/addresses.ts";
import { readPage, type PageParts } from "../../../src/tools/page.ts";

async function served(answer: RequestListener, work: (base: string) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  try {
    await work(`http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const page = (address: string, more: Partial<PageParts> = {}): Promise<string> =>
  readPage(address, { signal: new AbortController().signal, ...more });

const html = (body: string): string =>
  `<!doctype html><title>Title</title><script>bad()</script><nav>Menu</nav>${body}`;

describe("a page that a message names", () => {
  it("is its main part as Markdown, with whole addresses, and without scripts and frames of the site", async () => {
    const main = `<main><h1>Head</h1><p>${"Words. ".repeat(20)}<a href="/b">link</a></p><pre><code>a = 1</code></pre></main>`;
    await served(
      (_, response) => response.setHeader("content-type", "text/html; charset=utf-8").end(html(main)),
      async (base) => {
        const text = await page(`${base}/a`);
        assert.match(text, /# Head\n\nWords\./);
        assert.ok(text.includes(`[link](${base}/b)`) && text.includes("```\na = 1\n```"), text);
        assert.ok(!text.includes("bad()") && !text.includes("Menu"), text);
      },
    );
  });

  it("is plain text and JSON as they are, in their own encoding; nothing else, and nothing without end", async () => {
    await served(
      (request, response) => {
        if (request.url === "/latin")
          response.setHeader("content-type", "text/plain; charset=iso-8859-1").end(Buffer.from([0xe4]));
        else if (request.url === "/json") response.setHeader("content-type", "application/json").end('{"a":1}');
        else if (request.url === "/bin")
          response.setHeader("content-type", "application/zip").end(Buffer.from([80, 75, 0, 3]));
        else if (request.url === "/endless") {
          response.setHeader("content-type", "text/plain");
          const more = (): void => {
            while (!response.destroyed && response.write("x".repeat(65_536)));
            if (!response.destroyed) response.once("drain", more);
          };
          more();
        } else response.setHeader("content-type", "text/html").end("<p> </p>");
      },
      async (base) => {
        assert.equal(await page(`${base}/latin`), "ä");
        assert.equal(await page(`${base}/json`), '{"a":1}');
        assert.equal((await page(`${base}/endless`)).length, 2_000_000);
        await assert.rejects(page(`${base}/bin`), /It is no text \(application\/zip\)/);
        await assert.rejects(page(`${base}/`), /There is no text in it/);
      },
    );
  });

  it("is asked for without cookies or credentials, and is not found in words", async () => {
    const seen: (string | undefined)[] = [];
    await served(
      ({ headers }, response) => {
        seen.push(headers.authorization, headers.cookie);
        response.writeHead(404, "Not Found").end();
      },
      async (base) => {
        await assert.rejects(page(base), /^Error: 127\.0\.0\.1:\d+ answered 404 Not Found\.$/);
        assert.deepEqual(seen, [undefined, undefined]);
        await assert.rejects(page(base.replace("//", "//me:secret@")), /holds a name or a password/);
      },
    );
    for (const address of ["file:///etc/passwd", "data:text/plain,x", "http://"])
      await assert.rejects(page(address), /It is no address of a page/, address);
  });

  it("is followed where it was sent on, but not from the web to this machine or the networks around it, nor for ever", async () => {
    await served(
      (request, response) => {
        const to = { "/a": "/b", "/loop": "/loop", "/file": "file:///etc/passwd" }[request.url ?? ""];
        if (to) response.writeHead(302, { location: to }).end();
        else response.setHeader("content-type", "text/plain").end(`there ${request.url ?? ""}`);
      },
      async (base) => {
        assert.equal(await page(`${base}/a`), "there /b");
        await assert.rejects(page(`${base}/loop`), /sent on more than 5 times/);
        await assert.rejects(page(`${base}/file`), /no address of a page/);
        const reaches: Reach[] = ["world", "inside"];
        const reach = (): Promise<Reach> => Promise.resolve(reaches.shift() ?? "inside");
        await assert.rejects(
          page(`${base}/a`, { reach }),
          /It is sent on to 127\.0\.0\.1:\d+, which is not on the web/,
        );
      },
    );
  });

  it("is read as far as it can be read in a moment, however it is nested", async () => {
    const bold = "<b>x".repeat(500_000);
    await served(
      (_, response) => response.setHeader("content-type", "text/html").end(html(bold)),
      async (base) => {
        const text = await page(base);
        assert.ok(text.length > 100_000 && text.length < 600_000, String(text.length));
      },
    );
  });

  it("ends with the run", async () => {
    const stop = new AbortController();
    await served(
      () => stop.abort(),
      (base) => assert.rejects(page(base, { signal: stop.signal }), /did not answer|abort/i),
    );
  });
});
