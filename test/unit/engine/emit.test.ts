// The events of a run for whoever reads them: all of them, and none of a long answer's pieces more than needed.
import assert from "node:assert/strict";
import { createStream } from "../../../src/engine/emit.ts";
import type { LoopEvent } from "../../../src/protocol/events.ts";
import { together } from "../../../src/protocol/together.ts";

const piece = (content: string): LoopEvent => ({
  type: "stream:delta",
  runId: "r",
  content,
  messageId: "m",
  iteration: 1,
});
const persist: LoopEvent = { type: "loop:persist", runId: "r" };

describe("the events of a run", () => {
  it("keep pieces that nobody has read as one, and never change what somebody has", async () => {
    const stream = createStream<LoopEvent>(together);
    for (const content of ["a", "b"]) stream.push(piece(content));
    const reader = stream[Symbol.asyncIterator]();
    assert.deepEqual((await reader.next()).value, piece("ab"));
    for (const content of ["c", "d"]) stream.push(piece(content));
    stream.push(persist);
    stream.push(piece("e"));
    stream.close();
    const rest: LoopEvent[] = [];
    for (let next = await reader.next(); !next.done; next = await reader.next()) rest.push(next.value);
    assert.deepEqual(rest, [piece("cd"), persist, piece("e")]);
    assert.deepEqual(await Array.fromAsync(stream), [piece("ab"), piece("cd"), persist, piece("e")]);
  });
});
