// No request is ever larger than its model takes: whatever was said, whatever tools answer and whatever the provider counts.
import assert from "node:assert/strict";
import fc from "fast-check";
import { compactionOf } from "../../../src/protocol/compacted.ts";
import { isUndone } from "../../../src/engine/compacted.ts";
import { compactSession, reviseCompaction } from "../../../src/engine/compactSession.ts";
import { anchorOf, estimateFrom, estimateTokens, type Anchor } from "../../../src/engine/estimate.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../src/engine/ports.ts";
import { thresholds, undoneAt } from "../../../src/engine/thresholds.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import { LoopError, toFailure } from "../../../src/protocol/errors.ts";
import type { AssistantEntry, ToolCall } from "../../../src/protocol/messages.ts";
import type { Usage } from "../../../src/protocol/usage.ts";
import { calls, kit, ofType, says, tool } from "../../support/kit.ts";
import { history, randomHistory } from "./histories.ts";

/** What the model does with one request; what it counts is a share of what we count, null: it does not say. */
interface Move {
  readonly does: "read" | "say" | "refuse";
  /** Characters of its words, and of each result of its calls. */
  readonly words: number;
  readonly results: readonly number[];
  readonly input: number | null;
  readonly output: number;
}

/** Fits small windows often and large ones sometimes. */
const size = fc.oneof(fc.nat(400), fc.nat(6_000), fc.nat(40_000));
const share = fc.constantFrom(null, 0, 0.3, 0.9, 1, 1.5, 3, 12);
const move: fc.Arbitrary<Move> = fc.record({
  does: fc.constantFrom("read", "read", "read", "read", "say", "refuse"),
  words: fc.oneof(fc.nat(40), size),
  results: fc.array(size, { minLength: 1, maxLength: 4 }),
  input: share,
  output: fc.constantFrom(0, 1, 5, 400),
});
/** What a person does before a message, and how long that is. */
const turn = fc.record({ first: fc.constantFrom("nothing", "nothing", "compact", "undo"), length: size });
const settings = fc.record({
  contextWindow: fc.oneof(fc.integer({ min: 10, max: 1_500 }), fc.integer({ min: 1_500, max: 24_000 })),
  reserveFloor: fc.integer({ min: 1, max: 9_000 }),
  more: fc.integer({ min: 1, max: 9_000 }),
});

interface Sizes {
  readonly contextWindow: number;
  readonly reserveFloor: number;
  readonly flushThreshold: number;
}

interface Watched extends Model {
  readonly seen: { tasks: number; summaries: number; flushes: number };
  /** What was too large: kept, because an error in a request is part of the run. */
  readonly tooLarge: readonly string[];
  /** A new run knows nothing of what an earlier one was refused. */
  readonly newRun: () => void;
}

/** Plays moves, counts as they say, and knows from that what the engine must think of its next request. */
function watched(moves: readonly Move[], sizes: Sizes, undone: () => boolean): Watched {
  const seen = { tasks: 0, summaries: 0, flushes: 0 };
  let anchor: Anchor | null = null;
  let window = sizes.contextWindow;
  const limit = (): number => thresholds({ ...sizes, contextWindow: window }).compactAt;
  const taskLimit = (): number => (undone() ? undoneAt({ ...sizes, contextWindow: window }) : limit());
  const tooLarge: string[] = [];
  const check = (what: string, estimate: number, most = limit()): void => {
    if (estimate > most) tooLarge.push(`${what}: ${estimate} of ${most} in a window of ${window}`);
  };
  const playMove = (request: ModelRequest, done: Move): readonly ModelEvent[] => {
    const estimate = estimateFrom(anchor, request);
    if (done.does === "refuse") {
      window = Math.min(window, Math.floor(estimate * 0.75));
      return refusal;
    }
    const words = "w".repeat(done.words);
    const list = done.does === "read" ? done.results.map((length, n) => readCall(seen.tasks, n, length)) : [];
    const usage = usageOf(request, done);
    anchor = anchorOf(request, replyOf(words, list), usage);
    return [
      ...(words === "" ? [] : [{ type: "text", text: words } as const]),
      ...list.map((call) => ({ type: "call:start", id: call.id, name: call.name }) as const),
      ...list.map((call) => ({ type: "call", call }) as const),
      { type: "usage", usage },
      { type: "finish", reason: list.length > 0 ? "calls" : "stop" },
    ];
  };
  const play = (request: ModelRequest): readonly ModelEvent[] => {
    if (request.system.startsWith("You are given the earlier part")) {
      check("a summary", Math.ceil(estimateTokens(request) * Math.max(1, anchor?.measure ?? 1)));
      seen.summaries += 1;
      return says(`Summary ${seen.summaries}. ${"s".repeat(500)}`);
    }
    if (request.system.includes("Session nearing compaction.")) {
      check("a flush", estimateFrom(anchor, request));
      seen.flushes += 1;
      if (request.messages.at(-1)?.role === "tool") return says("NO_REPLY");
      return calls([`m${seen.flushes}`, "update_memory", { note: "n".repeat(900) }]);
    }
    check("a request", estimateFrom(anchor, request), taskLimit());
    seen.tasks += 1;
    return playMove(request, moves[seen.tasks - 1] ?? lastWords);
  };
  return {
    id: "watched",
    contextWindow: sizes.contextWindow,
    seen,
    tooLarge,
    newRun: () => void (window = sizes.contextWindow),
    async *stream(request) {
      yield* play(request);
    },
  };
}

const lastWords: Move = { does: "say", words: 5, results: [], input: null, output: 0 };

const refusal: readonly ModelEvent[] = [
  { type: "error", failure: toFailure(new LoopError("context_overflow", "Too long.")), retryable: false },
];

function readCall(request: number, n: number, length: number): ToolCall {
  return { id: `${request}-${n}`, name: "read_file", arguments: JSON.stringify({ path: `${length}` }) };
}

function replyOf(content: string, list: readonly ToolCall[]): AssistantEntry | undefined {
  if (content === "" && list.length === 0) return undefined;
  const about = { id: "a", runId: "r", timestamp: "t", iteration: 1 };
  return { role: "assistant", content, ...(list.length > 0 && { tool_calls: [...list] }), ...about };
}

function usageOf(request: ModelRequest, { input, output, words }: Move): Usage {
  if (input === null) return { input: 0, output: 0 };
  return { input: Math.round(estimateTokens(request) * input), output: output * Math.ceil(words / 4) };
}

const read = tool("read_file", {
  run: (_context, { path }) => ({ status: "succeeded", content: "z".repeat(Number(path)) }),
});
const memory = tool("update_memory", { effect: "write" });

describe("the limit of a model", () => {
  it("BRAIN-INV-4: no request is ever more than it, or the run ends with that error before one is sent", async () => {
    const total = { tasks: 0, summaries: 0, flushes: 0, overflows: 0, compactions: 0, undone: 0 };
    const turns = fc.array(turn, { minLength: 1, maxLength: 5 });
    const conversation = fc.tuple(settings, randomHistory, turns, fc.array(move, { maxLength: 14 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(conversation, async ([{ more, ...rest }, before, said, moves, withMemory]) => {
        const sizes = { ...rest, flushThreshold: rest.reserveFloor + more };
        const model = watched(moves, sizes, () => isUndone(made.lines));
        const config = { ...loopDefaults, ...sizes, maxToolIterations: 500 };
        const tools = withMemory ? [read, memory] : [read];
        const made = kit({ model, tools, config, history: history(before) });
        for (const [index, { first, length }] of said.entries()) {
          model.newRun();
          const inUse = compactionOf(made.lines);
          if (first === "compact") await compactSession({ sessionId: "s" }, made.ports, config).result;
          if (first === "undo" && inUse) {
            await reviseCompaction({ sessionId: "s", compactionId: inUse.id, summary: null }, made.ports);
            total.undone += 1;
          }
          const { status, failure } = await made.run({ message: `${index}${"m".repeat(length)}`, sessionId: "s" });
          if (failure) assert.deepEqual([status, failure.code], ["error", "context_overflow"], failure.message);
          else assert.equal(status, "completed");
          if (failure) total.overflows += 1;
        }
        assert.deepEqual(model.tooLarge, []);
        total.compactions += ofType(made.events, "context:compacted").length;
        for (const what of ["tasks", "summaries", "flushes"] as const) total[what] += model.seen[what];
      }),
      { numRuns: 200 },
    );
    for (const [what, count] of Object.entries(total)) assert.ok(count > 0, `there were no ${what}`);
  });

  it("BRAIN-INV-4: what a person asks of a summary does not fit either where the window is too small for it", async () => {
    const sent: ModelRequest[] = [];
    const model: Model = {
      id: "small",
      contextWindow: 4_000,
      async *stream(request) {
        sent.push(request);
        yield* await Promise.resolve(says("Fine."));
      },
    };
    const made = kit({ model });
    for (const message of ["One", "Two", "Three"]) await made.run({ message, sessionId: "s" });
    const before = sent.length;
    const request = { sessionId: "s", instructions: "i".repeat(12_000) };
    const outcome = await compactSession(request, made.ports, loopDefaults).result;
    assert.deepEqual([outcome.status, outcome.failure?.code, sent.length], ["error", "context_overflow", before]);
    assert.equal((await made.run({ message: "Four", sessionId: "s" })).status, "completed");
  });
});
