// A streamed Solution, cut anywhere: what is told when, what is never told, and what is said of what is malformed.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { SolutionEvent } from "../../../src/engine/solutionMembers.ts";
import { solutionReader, type SolutionEnd } from "../../../src/engine/solutionStream.ts";

interface Read extends Omit<SolutionEnd, "events"> {
  readonly events: readonly SolutionEvent[];
}

/** Reads a reply in pieces; texts that follow each other are joined, because their cuts are the stream's. */
function read(...pieces: readonly string[]): Read {
  return readAll(pieces);
}

function readAll(pieces: readonly string[]): Read {
  const reader = solutionReader();
  const all = pieces.flatMap((piece) => [...reader.read(piece)]);
  const { events, ...end } = reader.end();
  return { ...end, events: join([...all, ...events]) };
}

function join(events: readonly SolutionEvent[]): SolutionEvent[] {
  const joined: SolutionEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if ("text" in event && last?.type === event.type && "text" in last)
      joined[joined.length - 1] = { ...event, text: last.text + event.text };
    else joined.push(event);
  }
  return joined;
}

const callsOf = ({ events }: Read): unknown[] =>
  events.flatMap((event) => (event.type === "call" ? [[event.tool, JSON.parse(event.arguments)]] : []));
const textOf = ({ events }: Read, type: "prose" | "thinking" | "output:text"): string =>
  events.map((event) => (event.type === type ? event.text : "")).join("");
const errorOf = ({ events }: Read): string =>
  events.map((event) => (event.type === "error" ? event.message : "")).join("");
const characters = (text: string): string[] => text.split("");

describe("the reader of Solutions", () => {
  it("LOOP-STREAM-1: gives out each call, in order, the moment its object closes", () => {
    const reader = solutionReader();
    const told = (piece: string) => reader.read(piece).map(({ type }) => type);
    assert.deepEqual(told('{"calls": [{"_tool": "read_file"'), []);
    assert.deepEqual(told(', "path": "a.ts"'), ["call:start"]);
    assert.deepEqual(reader.read("}"), [{ type: "call", tool: "read_file", arguments: '{"path": "a.ts"}' }]);
    assert.deepEqual(told(',{"path":"b.ts","_tool":"edit"'), []);
    assert.deepEqual(reader.read("}"), [
      { type: "call:start", tool: "edit" },
      { type: "call", tool: "edit", arguments: '{"path":"b.ts"}' },
    ]);
    assert.deepEqual(told('],"output":null}'), []);
    const { form, calls, output } = reader.end();
    assert.deepEqual({ form, calls, output }, { form: "solution", calls: 2, output: false });
  });

  it("LOOP-STREAM-1: streams the text of an output as it comes", () => {
    const reader = solutionReader();
    assert.deepEqual(reader.read('{"calls":[],"output":"Do'), [{ type: "output:text", text: "Do" }]);
    assert.deepEqual(reader.read("ne.\\n"), [{ type: "output:text", text: "ne.\n" }]);
    assert.deepEqual(reader.read('"}'), []);
    assert.equal(reader.end().output, true);
  });

  it("LOOP-OUTER-9: gives an output that is no text whole, and takes false, 0, empty text and lists for outputs", () => {
    const json = ['{"a":[1,{"b":"}"}]}', "false", "0", "[]", "{}", "-1.5e3"];
    for (const value of json) {
      const got = read(...characters(`{"calls":[],"output": ${value} }`));
      assert.deepEqual(got.events, [{ type: "output", json: value }]);
      assert.equal(got.output, true);
    }
    assert.equal(read('{"calls":[],"output":""}').output, true);
    assert.equal(read('{"calls":[],"output":null}').output, false);
  });

  it("LOOP-META-1, LOOP-ADV-1: gives meta and advice when they are complete, before the calls", () => {
    const got = read('{"meta":{"version":"2"},"advisors":[{"id":"risk"}],"calls":[{"_tool":"x"}],"output":null}');
    assert.deepEqual(got.events, [
      { type: "meta", value: { version: "2" } },
      { type: "advisors", value: [{ id: "risk" }] },
      { type: "call:start", tool: "x" },
      { type: "call", tool: "x", arguments: "{}" },
    ]);
  });

  it("LOOP-STREAM-1: passes over members that it does not know, whatever is in them", () => {
    const got = read('{"thought":{"calls":[{"_tool":"no"}],"s":"\\"}"},"calls":[{"_tool":"x","a":{"_tool":"y"}}]}');
    assert.deepEqual(callsOf(got), [["x", { a: { _tool: "y" } }]]);
    assert.equal(got.form, "solution");
  });

  it("LOOP-STREAM-1: keeps arguments as the model wrote them", () => {
    const got = read('{"calls":[{"_tool":"x", "n": 12345678901234567890 , "u":"\\u0041","_outputPath":"†state.a"}]}');
    assert.deepEqual(got.events[1], {
      type: "call",
      tool: "x",
      arguments: '{"n": 12345678901234567890,"u":"\\u0041","_outputPath":"†state.a"}',
    });
  });

  it("LOOP-STREAM-1: takes line breaks that stand in a text as themselves", () => {
    const got = read('{"calls":[{"_tool":"x",\n\t"a":"one\n\ttwo"}],"output":"three\r\nfour"}');
    assert.deepEqual(callsOf(got), [["x", { a: "one\n\ttwo" }]]);
    assert.equal(textOf(got, "output:text"), "three\r\nfour");
  });

  it("LOOP-STREAM-1: takes a comma too many between calls and members, but not inside of a call", () => {
    assert.deepEqual(callsOf(read('{"calls":[{"_tool":"x"},],"output":null,}')), [["x", {}]]);
    const inside = read('{"calls":[{"_tool":"x","a":1,}]}');
    assert.deepEqual(callsOf(inside), []);
    assert.match(errorOf(inside), /a name in double quotes must stand here/);
  });

  it("LOOP-STREAM-1: finds the Solution in a fence and behind words, and passes over what follows it", () => {
    const solution = '{"calls":[{"_tool":"x"}],"output":null}';
    for (const before of ["```json\n", "```\n", "`", "  \n```JSON \n\n"]) {
      const got = read(...characters(`${before}${solution}\n\`\`\`\nAnd now {"calls":[{"_tool":"no"}]}`));
      assert.deepEqual([callsOf(got), textOf(got, "prose"), got.form], [[["x", {}]], "", "solution"], before);
    }
    const got = read(...characters(`I look at \`x\` in {a} first.\n\n\`\`\`json\n${solution}\n\`\`\``));
    assert.equal(textOf(got, "prose"), "I look at `x` in {a} first.");
    assert.deepEqual(callsOf(got), [["x", {}]]);
  });

  it("LOOP-STREAM-1: takes a draft inside of <think> for thinking", () => {
    const got = read(
      ...characters('\n<think>Perhaps {"calls":[{"_tool":"no"}]} </thin</think>\n\n{"calls":[{"_tool":"x"}]}'),
    );
    assert.equal(textOf(got, "thinking"), 'Perhaps {"calls":[{"_tool":"no"}]} </thin');
    assert.deepEqual(callsOf(got), [["x", {}]]);
    assert.equal(textOf(got, "prose"), "");
    assert.equal(textOf(read("<thin lines> are"), "prose"), "<thin lines> are");
  });

  it("LOOP-STREAM-1: takes a reply without a Solution for prose, whatever braces and fences are in it", () => {
    const texts = [
      "Done.",
      'The set {x} is\n```js\nconst a = {};\nconst b = { "c": 1 };\n```',
      'Use {"name": "x"} in the file, then {"output',
      "```js\n{ a: 1 }\n```",
      "Almost: {",
    ];
    for (const text of texts)
      for (const got of [read(text), read(...characters(text))])
        assert.deepEqual([textOf(got, "prose"), got.form, got.events.length], [text, "prose", 1]);
    assert.equal(read("").form, "nothing");
    assert.equal(read(" \n\t").form, "nothing");
    assert.equal(read("<think>hm").form, "nothing");
  });

  it("LOOP-STREAM-1: tells of a reply that is nothing but another JSON object", () => {
    for (const text of ['{"action":"read"}', '```json\n{"action":"read"}\n```\n', "{}"]) {
      const got = read(...characters(text));
      assert.equal(got.form, "object");
      assert.equal(got.object, text === "{}" ? "{}" : '{"action":"read"}');
      assert.deepEqual(got.events, []);
    }
    const followed = read('{"a":1} is what I would write.');
    assert.deepEqual([followed.form, textOf(followed, "prose")], ["prose", '{"a":1} is what I would write.']);
  });

  const malformed: readonly (readonly [string, RegExp])[] = [
    [
      '{"calls":[{"_tool":"x","t":"he said "hi""}]}',
      /a comma or } must follow the value; quotes inside of a text .*after “.*he said "”/,
    ],
    ['{"calls":[{"_tool":"x","t":"a\\d"}]}', /“\\d” is no escape in JSON/],
    ['{"calls":[{"_tool":"x","t":"\\u12x"}]}', /four hexadecimal digits/],
    ['{"calls":[{"_tool":"x","t":None}]}', /“None” is no JSON value/],
    ['{"calls":[{"_tool":"x","t":01}]}', /“01” is no JSON value/],
    ['{"calls":[{"_tool":"x" "t":1}]}', /a comma or } must follow/],
    ['{"calls":[{"_tool":"x","t" 1}]}', /a colon must follow the name/],
    ['{"calls":[{"tool":"x"}]}', /a call must have “_tool”, the name of its tool/],
    ['{"calls":[{"_tool":1}]}', /“_tool” must be the name of a tool/],
    ['{"calls":[{"_tool":"x","_tool":"y"}]}', /a call must have one “_tool”/],
    ['{"calls":["x"]}', /each call must be an object/],
    ['{"calls":[["x"]]}', /each call must be an object/],
    ['{"calls":[1]}', /each call must be an object/],
    ['{"calls":{"_tool":"x"}}', /“calls” must be a list/],
    ['{"calls":"x"}', /“calls” must be a list/],
    ['{"calls":true}', /“calls” must be a list/],
    ['{"calls":[],"calls":[]}', /“calls” stands twice/],
    ['{"_tool":"x","path":"a"}', /a call must stand in the list “calls”/],
    ["{'calls': []}", /a name in double quotes must stand here/],
    ["```json\n{calls: []}\n```", /a name in double quotes must stand here/],
    ["So: {'calls': [{'_tool': 'x'}]}", /stand in double quotes/],
    ['{"calls":[],"output":{"a":1,}}', /“output” is no valid JSON/],
    ['{"calls":[{"_tool":"x"', /the reply ends before the Solution does \(after “/],
    ['{"calls":[],"output":"half', /the reply ends before/],
    ['{"calls":[],"output":4', /the reply ends before/],
    ['{"calls":[{"_tool":"x"},', /the reply ends before/],
    ['{"thought":"half', /the reply ends before/],
    ["{", /the reply ends before/],
    [`{"calls":[{"_tool":"x","a":${"[".repeat(1000)}`, /nested too deeply/],
  ];
  for (const [text, sentence] of malformed)
    it(`LOOP-STREAM-1: says what is wrong with ${text.slice(0, 60).replaceAll("\n", " ")}`, () => {
      for (const got of [read(text), read(...characters(text))]) {
        assert.match(errorOf(got), /^Your reply is no valid Solution: .*\.$/s);
        assert.match(errorOf(got), sentence);
        assert.ok(got.form === "broken" || got.form === "cut");
        assert.equal(got.events.filter(({ type }) => type === "error").length, 1);
      }
    });

  it("LOOP-STREAM-1: does without closing brackets, as long as no call and no value is half", () => {
    for (const text of [
      '{"calls":[{"_tool":"x"}',
      '{"calls":[{"_tool":"x"}]',
      '{"calls":[{"_tool":"x"}],"output":null',
    ])
      assert.deepEqual([callsOf(read(text)), read(text).form], [[["x", {}]], "solution"], text);
  });

  it("LOOP-STREAM-5: keeps the calls that closed before the reply broke", () => {
    const got = read('{"calls":[{"_tool":"x"},{"_tool":"y","a":"b');
    assert.deepEqual([callsOf(got), got.calls, got.form], [[["x", {}]], 1, "cut"]);
  });

  it("LOOP-STREAM-1: never cuts a character in two", () => {
    const reader = solutionReader();
    const texts: string[] = [];
    for (const piece of characters('{"output":"a😀\\ud83d\\ude00b"}'))
      for (const event of reader.read(piece)) if ("text" in event) texts.push(event.text);
    for (const event of reader.end().events) if ("text" in event) texts.push(event.text);
    assert.equal(texts.join(""), "a😀😀b");
    assert.ok(texts.every((text) => !/\p{Surrogate}/u.test(text)));
  });
});

const params = fc.dictionary(
  fc.string({ unit: "binary" }).filter((key) => key !== "_tool" && key !== "__proto__"),
  fc.jsonValue(),
  { noNullPrototype: true },
);
const call = fc.record({ tool: fc.string({ minLength: 1, unit: "binary" }), params });
const solution = fc.record({
  calls: fc.array(call, { maxLength: 4 }),
  output: fc.oneof(fc.constant(null), fc.string({ unit: "binary" }), fc.jsonValue()),
  indent: fc.constantFrom(0, 2),
  before: fc.constantFrom("", "\n", "```json\n", "I will do {this}. \n\n```\n", "<think>{}</think>"),
  after: fc.constantFrom("", "\n```", "\nthat is all {"),
});
const cuts = fc.array(fc.nat(), { maxLength: 12 });

function textOfSolution({
  calls,
  output,
  indent,
  before,
  after,
}: typeof solution extends fc.Arbitrary<infer T> ? T : never) {
  // The tool's name first or last, because both happen.
  const list = calls.map(({ tool, params }, index) =>
    index % 2 ? { ...params, _tool: tool } : { _tool: tool, ...params },
  );
  return { json: JSON.stringify({ calls: list, output }, null, indent), before, after };
}

function cutAt(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length];
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}

describe("any Solution", () => {
  it("LOOP-STREAM-1: cut anywhere gives the same calls in order, and the same output", () => {
    fc.assert(
      fc.property(solution, cuts, (made, places) => {
        const { json, before, after } = textOfSolution(made);
        const got = read(...cutAt(before + json + after, places));
        const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        assert.deepEqual(callsOf(got), plain(made.calls.map(({ tool, params }) => [tool, params])));
        assert.equal(got.form, "solution");
        assert.equal(got.output, made.output !== null);
        if (typeof made.output === "string") assert.equal(textOf(got, "output:text"), made.output);
        else if (made.output !== null) {
          const whole = got.events.find((event) => event.type === "output");
          assert.deepEqual(JSON.parse(whole?.json ?? "null"), plain(made.output));
        }
        assert.deepEqual(read(...characters(before + json + after)), got);
      }),
      { numRuns: 300 },
    );
  });

  it("LOOP-STREAM-3: a prefix gives out exactly the calls whose objects have closed in it", () => {
    fc.assert(
      fc.property(solution, fc.nat(), (made, place) => {
        const { json } = textOfSolution({ ...made, indent: 0 });
        const list = made.calls.map(({ tool, params }, index) =>
          JSON.stringify(index % 2 ? { ...params, _tool: tool } : { _tool: tool, ...params }),
        );
        const ends = list.map((_, index) => '{"calls":['.length + list.slice(0, index + 1).join(",").length);
        const length = place % (json.length + 1);
        const reader = solutionReader();
        const given = reader.read(json.slice(0, length)).filter(({ type }) => type === "call");
        assert.equal(given.length, ends.filter((end) => end <= length).length);
        assert.deepEqual(
          reader.end().events.filter(({ type }) => type === "call"),
          [],
        );
      }),
      { numRuns: 300 },
    );
  });

  it("LOOP-STREAM-3: whatever text comes, a call given out was a whole object in it, and the reader never throws", () => {
    const soup = fc.array(
      fc.constantFrom(
        '{"calls":[',
        '{"_tool":"x"',
        ',"a":',
        '"b"',
        "}",
        "]",
        ",",
        '"',
        "\\",
        "{",
        "`",
        "1",
        "null",
        " ",
        "é",
        '"output":',
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(soup, (parts) => {
        const got = read(...parts);
        assert.deepEqual(read(parts.join("")), got);
        for (const event of got.events)
          if (event.type === "call") assert.ok(typeof JSON.parse(event.arguments) === "object");
        assert.equal(got.calls, callsOf(got).length);
      }),
      { numRuns: 1000 },
    );
  });

  it("LOOP-STREAM-1: is read in linear time: a megabyte, one at a time", () => {
    const content = "x\\n".repeat(100_000);
    const got = readAll(
      characters(`${" ".repeat(100_000)}{"calls":[{"_tool":"x","content":"${content}"}],"output":"${content}"}`),
    );
    const [first] = got.events.filter(({ type }) => type === "call");
    assert.ok(first?.type === "call" && first.arguments === `{"content":"${content}"}`);
    assert.equal(textOf(got, "output:text").length, 200_000);
    const prose = `Look: ${"{ a ` ``` ".repeat(100_000)}`;
    assert.ok(textOf(readAll(characters(prose)), "prose") === prose);
  });
});
