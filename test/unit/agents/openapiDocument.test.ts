// OpenAPI documents: what is read of them, and what hostile ones come to.
import assert from "node:assert/strict";
import { readDocument, referred, type Group } from "../../../src/agents/openapiDocument.ts";
import { operationsOf, type Operation } from "../../../src/agents/openapiOperations.ts";
import { schemaFrom } from "../../../src/agents/openapiSchema.ts";
import { validateJson } from "../../../src/tools/jsonSchema.ts";

function documentIn(text: string): Group {
  const read = readDocument(text);
  assert.ok("document" in read, JSON.stringify(read));
  return read.document;
}

const whyNot = (text: string): string => {
  const read = readDocument(text);
  return "why" in read ? read.why : "it was read";
};

function only(paths: Group, more: Group = {}): Operation {
  const [operation, ...others] = operationsOf({ openapi: "3.1.0", paths, ...more });
  assert.ok(operation && others.length === 0);
  return operation;
}

describe("an OpenAPI document", () => {
  it("is read as JSON and as YAML, of version 3", () => {
    for (const text of ['{"openapi":"3.0.3","paths":{}}', "openapi: 3.1.0\npaths: {}", "openapi: 3.1\npaths: {}"])
      assert.deepEqual(documentIn(text)["paths"], {});
  });

  it("is refused with what is wrong with it", () => {
    const cases: [string, RegExp][] = [
      ['swagger: "2.0"\npaths: {}', /Swagger 2: convert it/],
      ["openapi: 4.0.0\npaths: {}", /OpenAPI 4\.0\.0/],
      ["openapi: 3.0.0", /has no paths/],
      ["just words", /is no OpenAPI document/],
      ["{not json", /is not valid JSON/],
      ["a: [", /is not valid YAML/],
      ["[]", /is no OpenAPI document/],
      ["a: &a [*a]", /is not valid YAML/],
      [`{"openapi": "3.0.0", "x": "${"x".repeat(5_000_000)}"}`, /larger than five megabytes/],
      [`openapi: 3.0.0\nx: ${"x".repeat(500_000)}`, /YAML of more than half a megabyte/],
      [`{"openapi":${"[".repeat(200_000)}`, /is not valid JSON/],
      [`a: ${"[".repeat(400_000)}`, /is not valid YAML/],
      [`a:\n  ${"? ".repeat(200_000)}`, /is not valid YAML/],
      [`a:\n  ${"- ".repeat(200_000)}`, /is not valid YAML/],
      [`a: &a 1\n${"- *a\n".repeat(90_000)}`, /is not valid YAML/],
    ];
    for (const [text, why] of cases) assert.match(whyNot(text), why);
  });

  it("may not multiply itself by aliases", () => {
    const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let n = 1; n < 10; n++)
      lines.push(
        `a${n}: &a${n} [${Array(10)
          .fill(`*a${n - 1}`)
          .join(", ")}]`,
      );
    assert.equal(whyNot(`openapi: 3.0.0\npaths: {}\n${lines.join("\n")}`), "is not valid YAML");
  });

  it("is looked into by its own references alone", () => {
    const document = documentIn(
      '{"openapi":"3.0.0","paths":{},"a/b":{"c~d":[{"e":1}]},"x":{"$ref":"#/y"},"y":{"$ref":"#/x"}}',
    );
    assert.deepEqual(referred({ $ref: "#/a~1b/c~0d/0" }, document), { e: 1 });
    assert.deepEqual(referred({ $ref: "#/a~1b/c%7E0d/0" }, document), { e: 1 });
    for (const $ref of [
      "#/x",
      "#/nowhere",
      "#/constructor/prototype",
      "#/paths/__proto__",
      "other.json#/a",
      "https://a.test/#/a",
    ])
      assert.equal(referred({ $ref }, document), null, $ref);
  });
});

describe("the schemas of a document", () => {
  const schemaIn = (schema: unknown, schemas: Group = {}): Group =>
    schemaFrom(schema, { components: { schemas } }, { left: 40_000 });

  it("stand by themselves, in the words of JSON Schema", () => {
    const schemas = {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", nullable: true, maxLength: 3, example: "x" },
          tag: { $ref: "#/components/schemas/Tag" },
        },
      },
      Tag: { type: "string", enum: ["a", "b"], description: "A tag", pattern: "^[ab]$" },
    };
    assert.deepEqual(schemaIn({ type: "array", items: { $ref: "#/components/schemas/Pet" } }, schemas), {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: ["string", "null"], maxLength: 3 },
          tag: { type: "string", enum: ["a", "b"], description: "A tag It matches ^[ab]$" },
        },
      },
    });
    assert.deepEqual(schemaIn({ type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9 }), {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 9,
    });
  });

  it("end where they come back to themselves, grow too large or are elsewhere", () => {
    const Node = {
      type: "object",
      properties: { next: { $ref: "#/components/schemas/Node" }, name: { type: "string" } },
    };
    assert.deepEqual(schemaIn({ $ref: "#/components/schemas/Node" }, { Node }), {
      type: "object",
      properties: { next: {}, name: { type: "string" } },
    });
    const bomb = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => {
        const next = { $ref: `#/components/schemas/S${n + 1}` };
        return [
          `S${n}`,
          { type: "object", properties: Object.fromEntries("abcdefghij".split("").map((c) => [c, next])) },
        ];
      }),
    );
    const size = JSON.stringify(schemaIn({ $ref: "#/components/schemas/S0" }, bomb)).length;
    assert.ok(size < 100_000, String(size));
    assert.deepEqual(schemaIn({ $ref: "./pet.json" }), {});
    const long = schemaIn({ type: "string", description: "d".repeat(100_000), enum: Array(10_000).fill("e") });
    assert.ok(JSON.stringify(long).length < 2_000);
  });

  it("can be checked, whatever their document has for words", () => {
    const odd = {
      type: 17,
      enum: "x",
      minimum: "0",
      required: [1],
      properties: [],
      items: 3,
      allOf: {},
      pattern: "(a+)+$",
    };
    assert.deepEqual(validateJson(schemaIn(odd), `${"a".repeat(40)}!`), []);
    assert.deepEqual(schemaIn(null), {});
    assert.deepEqual(schemaIn(JSON.parse('{"__proto__":{"type":"string"},"type":"object"}')), { type: "object" });
  });
});

describe("the operations of a document", () => {
  it("have parameters of their path and their own, a body, and a key's place", () => {
    const operation = only(
      {
        "/pets/{id}": {
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "integer" } },
            { name: "limit", in: "query", schema: { type: "integer" } },
          ],
          put: {
            operationId: "pets.update",
            summary: "Changes a pet",
            parameters: [
              { name: "limit", in: "query", description: "At most", schema: { type: "string" } },
              { name: "id", in: "header", schema: {} },
              { name: "Authorization", in: "header", schema: {} },
              { name: "filter[name]", in: "query", content: { "application/json": { schema: { type: "object" } } } },
            ],
            requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
            security: [{ both: [] }],
          },
        },
      },
      { components: { securitySchemes: { both: { type: "apiKey", in: "header", name: "X-Key" } } } },
    );
    assert.deepEqual(
      operation.parameters.map((one) => [one.name, one.in, one.property, one.json]),
      [
        ["id", "path", "id", false],
        ["limit", "query", "limit", false],
        ["id", "header", "id_2", false],
        ["filter[name]", "query", "filter_name_", true],
      ],
    );
    assert.deepEqual(operation.properties["limit"], { type: "string", description: "At most" });
    assert.deepEqual(operation.body, { type: "application/json", form: "json", property: "body", required: true });
    assert.deepEqual(operation.key, { kind: "named", in: "header", name: "X-Key" });
    assert.equal(operation.description, "Changes a pet (PUT /pets/{id})");
  });

  it("are left out where they could not be called, and have a name where the document has none", () => {
    const upload = { requestBody: { required: true, content: { "multipart/form-data": {} } } };
    const elsewhere = { parameters: [{ $ref: "common.json#/x" }] };
    const paths = {
      "/a": { post: upload, get: elsewhere },
      "no-slash": { get: {} },
      "/b/{x}": { get: {} },
      "/c": null,
    };
    assert.deepEqual(
      operationsOf({ paths }).map(({ id }) => id),
      ["get_b_x"],
    );
  });

  it("take a key as most servers do where nothing is said, and none where the document says so", () => {
    const keyOf = (more: Group, operation: Group = {}): unknown => only({ "/": { get: operation } }, more).key;
    const components = { securitySchemes: { b: { type: "http", scheme: "Basic" }, o: { type: "oauth2" } } };
    assert.deepEqual(keyOf({}), { kind: "bearer" });
    assert.deepEqual(keyOf({ components }), { kind: "basic" });
    assert.deepEqual(keyOf({ components, security: [{ o: [] }] }), { kind: "bearer" });
    assert.equal(keyOf({ components, security: [{ o: [] }] }, { security: [] }), null);
    assert.equal(keyOf({ components, security: [{ constructor: [] }] }), null);
  });

  it("of more operations than can be used tells what only the first of them take, and of named ones what those do", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } };
    const body = { content: { "application/json": { schema: { $ref: "#/components/schemas/a" } } } };
    const paths = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`/${n}`, { post: { operationId: `op${n}`, requestBody: body } }]),
    );
    const document = { paths, components: { schemas: { a: schema } } };
    const all = operationsOf(document);
    assert.equal(all.length, 200);
    assert.deepEqual([all[99]?.properties["body"], all[100]?.properties["body"]], [schema, {}]);
    assert.deepEqual(
      operationsOf(document, new Set(["op150"])).map(({ id, properties }) => [id, properties["body"]]),
      [["op150", schema]],
    );
  });
});
