// The host's fold: what happened, failures outside a run, and waiting for an event.
import assert from "node:assert/strict";
import { createFold } from "../../../src/host/fold.ts";
import { LoopError } from "../../../src/protocol/errors.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";

const notice = (message: string): PanelEvent => ({ type: "loop:notice", runId: "r", level: "info", message });

describe("the host's fold", () => {
  it("gives the next event that fits, to everybody who waits for one, once", async () => {
    const fold = createFold(
      () => undefined,
      () => undefined,
    );
    const wanting = (text: string) => (event: PanelEvent) =>
      event.type === "loop:notice" && event.message.startsWith(text) ? event.message : undefined;
    fold.event(notice("a0"));
    const found = [fold.next(wanting("a")), fold.next(wanting("b")), fold.next(wanting("a"))];
    for (const message of ["c", "a1", "a2", "b1"]) fold.event(notice(message));
    assert.deepEqual(await Promise.all(found), ["a1", "b1", "a1"]);
  });

  it("shows a failure outside a run, and logs only what nobody expected", async () => {
    const events: PanelEvent[] = [];
    const logged: string[] = [];
    const fold = createFold(
      (event) => events.push(event),
      (message) => logged.push(message),
    );
    assert.equal(await fold.guard(() => Promise.reject(new LoopError("no_workspace", "No folder is open."))), null);
    assert.equal(logged.length, 0);
    assert.equal(await fold.guard(() => Promise.reject(new TypeError("odd"))), null);
    assert.match(logged[0] ?? "", /odd/);
    assert.deepEqual(
      events.map((event) => event.type === "panel:failure" && event.failure.code),
      ["no_workspace", "internal"],
    );
    assert.equal(fold.view().failure?.code, "internal");
  });
});
