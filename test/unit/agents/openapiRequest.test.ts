// Requests of operations: what values can and cannot make of them.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Parameter } from "../../../src/agents/openapiOperations.ts";
import { operationsOf, type Operation } from "../../../src/agents/openapiOperations.ts";
import { baseOf, shownRequest, toRequest, withKey, type WebRequest } from "../../../src/agents/openapiRequest.ts";
import type { Params } from "../../../src/protocol/messages.ts";

const base = new URL("https://api.example.test/v1/");

function operation(path: string, parameters: readonly Partial<Parameter>[], more: Partial<Operation> = {}): Operation {
  const full = parameters.map((one) => ({
    name: "x",
    property: one.name ?? "x",
    in: "query" as const,
    required: false,
    style: one.in === "path" || one.in === "header" ? "simple" : "form",
    explode: one.in !== "path",
    json: false,
    ...one,
  }));
  const rest = { description: "", server: null, body: null, key: null, properties: {} };
  return { id: "op", method: "GET", path, parameters: full, ...rest, ...more };
}

function requestOf(of: Operation, values: Params): WebRequest {
  const made = toRequest(of, base, values);
  assert.ok("request" in made, JSON.stringify(made));
  return made.request;
}

const hrefOf = (of: Operation, values: Params): string => requestOf(of, values).url.href;

describe("the request of an operation", () => {
  it("puts values where the document has their places, in each of its styles", () => {
    const id = { name: "id", in: "path" } as const;
    assert.equal(
      hrefOf(operation("/users/{id}", [id]), { id: "a b/ü" }),
      "https://api.example.test/v1/users/a%20b%2F%C3%BC",
    );
    assert.equal(hrefOf(operation("/u/{id}.json", [id]), { id: [1, 2] }), "https://api.example.test/v1/u/1,2.json");
    const styles: [Partial<Parameter>, unknown, string][] = [
      [{}, [1, 2], "?x=1&x=2"],
      [{ explode: false }, ["a,b", 2], "?x=a%2Cb,2"],
      [{}, { a: 1, b: "&" }, "?a=1&b=%26"],
      [{ explode: false }, { a: 1, b: 2 }, "?x=a,1,b,2"],
      [{ style: "deepObject" }, { a: 1 }, "?x%5Ba%5D=1"],
      [{ style: "pipeDelimited", explode: false }, [1, 2], "?x=1%7C2"],
      [{ style: "spaceDelimited", explode: false }, [1, 2], "?x=1%202"],
      [{ json: true }, { a: [1] }, "?x=%7B%22a%22%3A%5B1%5D%7D"],
      [{}, true, "?x=true"],
      [{}, null, ""],
    ];
    for (const [parameter, x, search] of styles)
      assert.equal(requestOf(operation("/", [parameter]), { x }).url.search, search);
    const inPath: [Partial<Parameter>, unknown, string][] = [
      [{ style: "label" }, "a", "/v1/p/.a"],
      [{ style: "label", explode: true }, { a: 1, b: 2 }, "/v1/p/.a=1.b=2"],
      [{ style: "matrix" }, [1, 2], "/v1/p/;x=1,2"],
      [{ style: "matrix", explode: true }, [1, 2], "/v1/p/;x=1;x=2"],
      [{}, { a: 1 }, "/v1/p/a,1"],
    ];
    for (const [parameter, x, pathname] of inPath)
      assert.equal(requestOf(operation("/p/{x}", [{ ...parameter, in: "path" }]), { x }).url.pathname, pathname);
  });

  it("has headers, cookies and a body", () => {
    const body = { type: "application/json", form: "json", property: "body", required: true } as const;
    const of = operation(
      "/",
      [
        { name: "X-Tenant", in: "header" },
        { name: "sid", in: "cookie" },
      ],
      { method: "POST", body },
    );
    const request = requestOf(of, { "X-Tenant": "t", sid: "a;b", body: { n: 1 } });
    assert.deepEqual(request.body, '{"n":1}');
    const { accept: _, ...headers } = request.headers;
    assert.deepEqual(headers, { "x-tenant": "t", cookie: "sid=a%3Bb", "content-type": "application/json" });
    assert.equal(
      shownRequest(request),
      'POST https://api.example.test/v1/\nx-tenant: t\ncookie: sid=a%3Bb\ncontent-type: application/json\n\n{\n  "n": 1\n}',
    );
    const fields = { ...body, type: "application/x-www-form-urlencoded", form: "fields" } as const;
    const filled = requestOf(operation("/", [], { body: fields }), { body: { a: "1&2", b: [true, "ü"] } });
    assert.equal(filled.body, "a=1%262&b=true&b=%C3%BC");
  });

  it("is none where a value has no place or a place no value", () => {
    const id = { name: "id", in: "path" } as const;
    const cases: [Operation, Params, RegExp][] = [
      [operation("/users/{id}", [{ ...id, required: true }]), {}, /^id is missing/],
      [operation("/users/{id}", [id]), { id: "" }, /id is empty/],
      [operation("/users/{id}", [id]), { id: ".." }, /cannot be “\.\.”/],
      [operation("/users/{id}{id}", [id]), { id: "." }, /cannot be/],
      [operation("/a/../../admin", []), {}, /another address/],
      [operation("/%2e%2e/admin", []), {}, /another address/],
      [operation("/", [{ name: "h", in: "header" }]), { h: "a\r\nx: y" }, /characters that a header cannot have/],
      [operation("/", [{ name: "Host", in: "header" }]), { Host: "evil.test" }, /header Host cannot be chosen/],
      [operation("/", [{ name: "a: b", in: "header" }]), { "a: b": "1" }, /cannot be the name/],
      [operation("/", [{ name: "a=b;c", in: "cookie" }]), { "a=b;c": "1" }, /cannot be the name/],
      [operation("/{x}", [{ in: "path" }]), { x: "\uD800" }, /half a character/],
    ];
    for (const [of, values, why] of cases) {
      const made = toRequest(of, base, values);
      assert.match("why" in made ? made.why : made.request.url.href, why);
    }
  });

  it("goes to the server and the path of the document, whatever the values are", () => {
    const nasty = fc.constantFrom(
      "../",
      "//evil.test",
      "/..",
      "\\\\evil.test",
      "@evil.test",
      ":8080",
      "?q",
      "#f",
      "%2e%2e",
      "\r\n",
      "..;",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      nasty,
      fc.tuple(nasty, fc.string(), nasty).map((all) => all.join("")),
    );
    const value = fc.oneof(text, fc.integer(), fc.array(text), fc.dictionary(text, text));
    const style = fc.constantFrom("simple", "label", "matrix", "form", "deepObject", "pipeDelimited");
    const each = fc.record({ path: value, query: value, header: text, style, explode: fc.boolean() });
    fc.assert(
      fc.property(each, ({ path, query, header, style, explode }) => {
        const of = operation("/users/{p}/things", [
          { name: "p", in: "path", style, explode },
          { name: "q", style, explode },
          { name: "H", in: "header" },
        ]);
        const made = toRequest(of, base, { p: path, q: query, H: header });
        if ("why" in made) return;
        const { url, headers } = made.request;
        assert.equal(url.origin, base.origin);
        assert.match(url.pathname, /^\/v1\/users\/[^/]+\/things$/);
        assert.equal(`${url.username}${url.password}${url.hash}`, "");
        // Read by whoever gets it, it is the same.
        assert.equal(new URL(url.href).href, url.href);
        for (const text of [...Object.keys(headers), ...Object.values(headers)]) assert.doesNotMatch(text, /[\r\n\0]/);
      }),
    );
  });

  it("gives back each text that was put into it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme" }), (inPath, inQuery) => {
        fc.pre(inPath.isWellFormed() && inQuery.isWellFormed() && !/^\.{1,2}$/.test(inPath));
        const of = operation("/{p}", [{ name: "p", in: "path" }, { name: "q" }]);
        const { url } = requestOf(of, { p: inPath, q: inQuery });
        assert.equal(decodeURIComponent(url.pathname.slice("/v1/".length)), inPath);
        assert.equal(url.searchParams.get("q"), inQuery);
      }),
    );
  });
});

describe("a key", () => {
  const request = requestOf(operation("/", [{ name: "c", in: "cookie" }, { name: "q" }]), { c: "1", q: "2" });

  it("goes where the document says", () => {
    const at = (place: Parameters<typeof withKey>[1]): WebRequest => {
      const made = withKey(request, place, "k&y");
      assert.ok("request" in made);
      return made.request;
    };
    assert.equal(at({ kind: "bearer" }).headers["authorization"], "Bearer k&y");
    assert.equal(at({ kind: "basic" }).headers["authorization"], "Basic ayZ5");
    assert.equal(at({ kind: "named", in: "header", name: "X-Key" }).headers["x-key"], "k&y");
    assert.equal(at({ kind: "named", in: "cookie", name: "k" }).headers["cookie"], "c=1; k=k%26y");
    assert.equal(at({ kind: "named", in: "query", name: "key" }).url.search, "?q=2&key=k%26y");
    assert.equal(request.url.search, "?q=2");
  });

  it("is no line of its own, and takes no place that is not for it", () => {
    for (const [name, key] of [
      ["Host", "k"],
      ["x\r\ny", "k"],
      ["X-Key", "k\r\nx: y"],
    ] as const)
      assert.ok("why" in withKey(request, { kind: "named", in: "header", name }, key));
  });
});

describe("the address of a server", () => {
  it("is http or https, without user and password, and its paths start below it", () => {
    assert.equal(baseOf("https://a.test/v1?x#y", null)?.href, "https://a.test/v1");
    assert.equal(baseOf("/v2", new URL("https://a.test/docs/api.json"))?.href, "https://a.test/v2");
    for (const server of [
      "javascript:alert(1)",
      "file:///etc/passwd",
      "https://u:p@a.test",
      "/v1",
      "{scheme}://a",
      "data:,x",
      "",
    ])
      assert.equal(baseOf(server, null), null, server);
    const [first] = operationsOf({
      paths: { "/x": { get: {} } },
      servers: [{ url: "https://{region}.a.test/{v}", variables: { region: { default: "eu" }, v: { default: 2 } } }],
    });
    assert.equal(first?.server, "https://eu.a.test/2");
  });
});
