// Runs of the real engine on a real folder with a scripted model, for tests of what the disk has afterwards.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { createSessions } from "../../../src/brain/sessions.ts";
import type { Clock, Emit, ModelEvent, Tool } from "../../../src/engine/ports.ts";
import { startRun, type Run, type RunRequest } from "../../../src/engine/run.ts";
import { loopDefaults } from "../../../src/protocol/config.ts";
import type { Message } from "../../../src/protocol/messages.ts";
import { kit, scriptedModel, type ScriptedModel } from "../../support/kit.ts";

/** What a person saw: it may not be missing afterwards. */
export type Shown =
  | { readonly kind: "message" | "end"; readonly id: string }
  | { readonly kind: "result"; readonly id: string; readonly text: string };

export const realClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

interface Work {
  /** The `.brain` folder. */
  readonly dir: string;
  readonly request: RunRequest;
  readonly scripts: readonly (readonly ModelEvent[])[];
  readonly tools?: readonly Tool[];
  readonly listener?: Emit;
}

/** Starts a run; everything but the model and the tools is as it is in the product. */
export function runOn(work: Work): Run & { readonly messageId: string; readonly model: ScriptedModel } {
  const model = scriptedModel(...work.scripts);
  const sessions = createSessions({ dir: work.dir, clock: realClock });
  const ids: string[] = [];
  const newId = (): string => {
    const id = randomUUID();
    ids.push(id);
    return id;
  };
  const { ports } = kit({ model, tools: work.tools ?? [], ports: { sessions, clock: realClock, ids: newId } });
  const run = startRun(work.request, ports, loopDefaults, work.listener);
  // Of a run on a known session: its own id, then its message's.
  return Object.assign(run, { messageId: ids[1] ?? "", model });
}

/** Fails unless a provider would take the messages: a person first, each call answered once, at once and in order. */
export function assertValid(messages: readonly Message[]): void {
  assert.equal(messages[0]?.role, "user");
  assert.equal(messages.at(-1)?.role, "user");
  const answered = new Set<string>();
  for (let next = 0; next < messages.length; next++) {
    const message = messages[next];
    assert.notEqual(message?.role, "tool", "a result without its call");
    if (message?.role !== "assistant") continue;
    for (const { id } of message.tool_calls ?? []) {
      const result = messages[++next];
      assert.ok(result?.role === "tool" && result.tool_call_id === id, `${id} has no result`);
      assert.ok(!answered.has(id), `${id} is answered twice`);
      answered.add(id);
    }
  }
}
