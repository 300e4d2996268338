// Arguments that are still being written: what is shown of them is what they say so far, whatever they are and wherever they are cut.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createFold } from "../../../src/host/fold.ts";
import { readArriving, startReader } from "../../../src/host/arriving.ts";
import type { LoopEvent, PanelEvent } from "../../../src/protocol/events.ts";
import type { ArrivingField, CallItem } from "../../../src/protocol/viewCall.ts";

const call = { runId: "r", toolCallId: "c" };
const begun: readonly LoopEvent[] = [
  { type: "loop:start", runId: "r", sessionId: "s", message: "m", messageId: "u", timestamp: "" },
  { type: "call:streaming", ...call, toolName: "write_file", messageId: "a", iteration: 1 },
];

/** As `call:field` means it. */
function added(fields: readonly ArrivingField[], { name, text }: ArrivingField): readonly ArrivingField[] {
  const last = fields.at(-1);
  return last?.name === name ? [...fields.slice(0, -1), { name, text: last.text + text }] : [...fields, { name, text }];
}

function read(pieces: readonly string[]): readonly ArrivingField[] {
  const reader = startReader();
  return pieces.flatMap((piece) => readArriving(reader, piece)).reduce(added, []);
}

/** The values in a whole text, one by one, with what leads to them. */
function leavesOf(value: unknown, names: readonly string[] = []): readonly ArrivingField[] {
  if (Array.isArray(value)) return value.flatMap((item) => leavesOf(item, names));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, item]) => leavesOf(item, [...names, name]));
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [{ name: names.filter(Boolean).join(".").slice(0, 80), text }];
}

/** Values that stand behind each other under one name are one field. */
function fieldsOf(value: unknown): readonly ArrivingField[] {
  return leavesOf(value).reduce<readonly ArrivingField[]>(
    (fields, leaf) =>
      added(fields, { ...leaf, text: fields.at(-1)?.name === leaf.name ? `, ${leaf.text}` : leaf.text }),
    [],
  );
}

/** Everything is as it will be, and the last may go on. */
function isBegun(shown: readonly ArrivingField[], whole: readonly ArrivingField[]): void {
  assert.deepEqual(shown.slice(0, -1), whole.slice(0, Math.max(0, shown.length - 1)));
  const last = shown.at(-1);
  const real = whole[shown.length - 1];
  assert.ok(!last || (real?.name === last.name && real.text.startsWith(last.text)), JSON.stringify({ shown, whole }));
}

const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());

/** The text in pieces of one to three characters. */
function cut(text: string, size: number): readonly string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}

function shownAfter(text: string): CallItem["arriving"] {
  const fold = createFold(
    () => undefined,
    () => undefined,
  );
  for (const event of begun) fold.event(event);
  for (const piece of text.match(/[^]{1,50000}/g) ?? []) fold.event({ type: "call:delta", ...call, text: piece });
  const [item] = fold.view().turns[0]?.items ?? [];
  assert.ok(item?.kind === "call");
  return item.arriving;
}

describe("arguments that are being written", () => {
  it("are shown as far as they have come, wherever that is", () => {
    fc.assert(
      fc.property(object, fc.nat(), fc.constantFrom(undefined, 2), fc.integer({ min: 1, max: 3 }), (...given) => {
        const [value, at, indent, size] = given;
        const text = JSON.stringify(value, null, indent);
        isBegun(read(cut(text.slice(0, at % (text.length + 1)), size)), fieldsOf(value));
        assert.deepEqual(read(cut(text, size)), fieldsOf(value));
      }),
    );
  });

  it("never fail, whatever they are, and nothing of them is lost from sight", () => {
    fc.assert(
      fc.property(fc.string(), object, fc.nat(), (junk, value, at) => {
        const text = JSON.stringify(value);
        const from = at % text.length;
        read(cut(text.slice(0, from) + junk + text.slice(from), 3));
        read(cut(junk, 3));
      }),
    );
    assert.deepEqual(read(["{'path': ", "'a.ts'}"]), [{ name: "", text: "'path': 'a.ts'}" }]);
    assert.deepEqual(read(['{"path":"a', '.ts" "content"', ": 1}"]), [
      { name: "path", text: "a.ts" },
      { name: "", text: '"content": 1}' },
    ]);
  });

  it("say what they are in numbers, lists and objects", () => {
    const value = {
      path: "a.ts",
      edits: [{ old: "1\n2", fresh: "" }, { old: "3" }],
      all: true,
      tags: ["a", "b"],
      n: [1, 2],
    };
    assert.deepEqual(read([JSON.stringify(value)]), [
      { name: "path", text: "a.ts" },
      { name: "edits.old", text: "1\n2" },
      { name: "edits.fresh", text: "" },
      { name: "edits.old", text: "3" },
      { name: "all", text: "true" },
      { name: "tags", text: "a, b" },
      { name: "n", text: "1, 2" },
    ]);
  });

  it("take little room however long they are: the first name stays, and of a long text the end", () => {
    const content = `${"a line that is long enough\n".repeat(40_000)}the end`;
    const shown = shownAfter(JSON.stringify({ path: "a.ts", content }).slice(0, -2));
    assert.deepEqual(shown, [
      { name: "path", text: "a.ts" },
      { name: "content", text: content.slice(-4_096) },
    ]);
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`n${index}`, index]));
    const names = shownAfter(JSON.stringify({ path: "a.ts", ...many })).map(({ name }) => name);
    assert.deepEqual([names.length, names.at(-1)], [12, "n4999"]);
  });

  it("begin anew when the call does, and are gone when it is whole", () => {
    const heard: PanelEvent[] = [];
    const fold = createFold(
      (event) => heard.push(event),
      () => undefined,
    );
    const streaming = begun.slice(1);
    const piece: LoopEvent = { type: "call:delta", ...call, text: '{"a":"1' };
    for (const event of [...begun, piece, ...streaming, piece]) fold.event(event);
    assert.deepEqual(
      heard.flatMap((event) => (event.type === "call:field" ? [[event.name, event.text]] : [])),
      [
        ["a", "1"],
        ["a", "1"],
      ],
    );
  });
});
