// A proposal that a person has changed: what they left is written, and the model reads what became of its own.
import assert from "node:assert/strict";
import type { Approval, Approve } from "../../../src/engine/ports.ts";
import { calls, callContext, kit, ofType, says, scriptedModel } from "../../support/kit.ts";
import { openPlace, ready, refusal, type Place } from "./place.ts";

const context = callContext(new AbortController().signal);
const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
const edits = [
  { old_text: "1\n", new_text: "one\n" },
  { old_text: "9\n", new_text: "nine\n" },
];

async function proposed(place: Place) {
  await place.put("a.txt", before);
  return ready(await place.prepare("edit_file", { path: "a.txt", edits }));
}

describe("a proposal that a person has changed", () => {
  it("writes what they left of it, and says what was left out", async () => {
    await using place = await openPlace();
    const prepared = await proposed(place);
    const left = ready(prepared.revised?.(["one\n2\n3\n4\n5\n6\n7\n8\n9\n"]) ?? refused());
    const result = await left.run(context);
    assert.equal(await place.get("a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    const [written = "", out = ""] = result.content.split("The person decided what is written");
    assert.match(written, /^Changed a\.txt · hash .*-1\n\+one\n/s);
    assert.doesNotMatch(written, /nine/);
    assert.match(out, /-9\n\+nine\n$/);
  });

  it("can be changed again, and back to what was proposed", async () => {
    await using place = await openPlace();
    const prepared = await proposed(place);
    const once = ready(prepared.revised?.(["x\n"]) ?? refused());
    const twice = ready(once.revised?.([prepared.proposals?.[0]?.after ?? ""]) ?? refused());
    assert.doesNotMatch((await twice.run(context)).content, /The person decided/);
    assert.equal(await place.get("a.txt"), prepared.proposals?.[0]?.after);
  });

  it("that leaves nothing is no change", async () => {
    await using place = await openPlace();
    const prepared = await proposed(place);
    assert.match(refusal(prepared.revised?.([before]) ?? refused()), /Nothing would change/);
  });

  it("is written into what the file has become meanwhile, where both fit", async () => {
    await using place = await openPlace();
    const prepared = await proposed(place);
    await place.put("a.txt", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n");
    const result = await prepared.run(context);
    assert.equal(await place.get("a.txt"), "one\n2\n3\n4\nfive\n6\n7\n8\nnine\n");
    assert.match(result.content, /together with what the file has become meanwhile/);
    assert.doesNotMatch(result.content, /^[-+]five/m);
  });

  it("writes nothing where the person has changed the same lines, or all of it is there already", async () => {
    await using place = await openPlace();
    for (const now of ["uno\n2\n3\n4\n5\n6\n7\n8\n9\n", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n"]) {
      const prepared = await proposed(place);
      await place.put("a.txt", now);
      const result = await prepared.run(context);
      assert.equal(result.status, "failed");
      assert.match(result.content, /nothing was written/);
      assert.equal(await place.get("a.txt"), now);
    }
  });
});

function refused() {
  return { kind: "refused", status: "failed", content: "it cannot be revised" } as const;
}

describe("an approval with another text", () => {
  const asked = async (place: Place, ...answers: readonly Approval[]) => {
    await place.put("a.txt", before);
    const left = [...answers];
    const approve: Approve = () => Promise.resolve(left.shift() ?? { decision: { kind: "reject" }, by: "person" });
    const model = scriptedModel(calls(["c", "edit_file", { path: "a.txt", edits }]), says("ok"));
    const made = kit({ model, tools: [place.tool("edit_file"), place.tool("list_files")], approve });
    await made.run();
    const result = model.requests[1]?.messages.at(-1)?.content ?? "";
    return { made, result };
  };

  it("is what runs, stands in the transcript as such, and its note comes first", async () => {
    await using place = await openPlace();
    const { made, result } = await asked(place, {
      decision: { kind: "approve", note: "at line 9: leave it" },
      by: "person",
      texts: ["one\n2\n3\n4\n5\n6\n7\n8\n9\n"],
    });
    assert.equal(await place.get("a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    assert.match(result, /^The person says of this: at line 9: leave it\n\nChanged a\.txt/);
    const decision = { kind: "approve", note: "at line 9: leave it", revised: true };
    assert.deepEqual(ofType(made.events, "call:decided")[0]?.decision, decision);
    const entry = made.lines.find((line) => "role" in line && line.role === "tool");
    assert.deepEqual(entry && "verdict" in entry && entry.verdict, {
      decision,
      by: "person",
      at: "2026-01-02T03:04:05.000Z",
    });
  });

  it("that would change nothing is asked about again, with the reason", async () => {
    await using place = await openPlace();
    const { made } = await asked(place, { decision: { kind: "approve" }, by: "person", texts: [before] });
    assert.match(ofType(made.events, "call:decided")[0]?.problem ?? "", /Nothing would change/);
    assert.equal(await place.get("a.txt"), before);
  });
});
