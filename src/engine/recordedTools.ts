// The tools of a rerun: they touch nothing, and each call gives what is recorded of it, when it is recorded.
import type { Params, ToolEntry } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { flowOf, nameOf } from "./dataflow.ts";
import type { Prepared, Refusal, Tool, ToolResult } from "./ports.ts";
import type { RecordedCall, RecordedRun } from "./recorded.ts";
import { changedWithPlan, keptByTool, knownTools, labelsOf, touchesOf, usesReferences } from "./recordedCalls.ts";
import { placesFor } from "./results.ts";
import * as sentences from "./sentences.ts";
import type { Stage } from "./stage.ts";
import type { DataMessage } from "./state.ts";
import { onAbort } from "./timers.ts";

/** Every tool that the record tells of. */
export function recordedTools(run: RecordedRun, stage: Stage): readonly Tool[] {
  const labels = labelsOf(run);
  const dataFlow = usesReferences(run);
  const unwritten = { status: "failed", content: "The record has no result of this call." } as const;
  return knownTools(run).map(({ name, effect }): Tool => {
    const label = (params: Params) => labels(name, params) ?? { verb: name, subject: "" };
    const fields = keptByTool(run, name);
    return {
      name,
      description: "",
      parameters: { type: "object" },
      effect,
      ...(fields && { fields }),
      label,
      touches: (params, id) => touchesOf(id === undefined ? null : stage.call(id), params),
      async prepare(params, signal, id) {
        stage.start(id);
        const recorded = stage.call(id);
        if (!recorded?.result) {
          // Cut off, it never ended; else nobody knows when, and it comes after those that are known.
          await (run.end === null ? onAbort(signal).aborted : stage.until(lastIndex(stage), 0.2));
          return { kind: "refused", ...unwritten };
        }
        const { call, index, result } = recorded;
        const done: Done = { call, index, result, outputPath: dataFlow ? fields?.outputPath : null };
        const refused = refusalOf(done);
        if (refused) return stage.until(index).then(() => refused);
        return {
          kind: "prepared",
          params,
          label: result.label ?? label(params),
          ...(result.preview && { preview: result.preview }),
          // Who works for a call has limits of its own.
          ...(run.delegated.has(id) && { timeout: null }),
          run: (context) => resultOf(done, { params, signal: context.signal }, stage),
        } satisfies Prepared;
      },
    };
  });
}

function lastIndex(stage: Stage): number {
  const indices = (stage.reply()?.calls ?? []).map(({ index }) => index).filter(Number.isFinite);
  return Math.max(0, ...indices);
}

/** A call with its recorded result. */
interface Done extends RecordedCall {
  readonly result: ToolEntry;
  /** Where results of its tool always go; null: references are off. */
  readonly outputPath: string | undefined | null;
}

/** What the tool said instead of being prepared; null when the call was let through. */
function refusalOf(done: Done): Refusal | null {
  const { call, result } = done;
  const { status, verdict } = result;
  if (verdict !== undefined || (status !== "failed" && status !== "denied" && status !== "skipped")) return null;
  const content = sentences.withoutDenial(bare(done, ""));
  if (status === "denied") return { kind: "refused", status, content };
  if (status === "failed" && !sentences.isLoopRefusal(content, call)) return { kind: "refused", status, content };
  return { kind: "refused", status: "failed", content: "The loop let this call through to its tool." };
}

/** @param work `params`: as they were when the call was let through */
async function resultOf(done: Done, work: { params: Params; signal: AbortSignal }, stage: Stage): Promise<ToolResult> {
  const { call, result, index } = done;
  const content = bare(done, noticeOf(done, work.params, changedWithPlan(stage.reply()?.plan ?? null, call.id)));
  if (result.status === "cancelled") {
    await stage.stopped(call.id, work.signal);
    return {
      status: "failed",
      content: sentences.withoutAdditions(content, { notice: sentences.cancelled.atWork, kept: "" }),
    };
  }
  await stage.until(index);
  const { value, message, error, parts } = result;
  return {
    status: result.status === "succeeded" ? "succeeded" : "failed",
    content,
    ...(parts && { parts }),
    ...(value !== undefined && { value }),
    ...(isDataMessage(message) && { message }),
    ...(error && { error: error.type }),
  };
}

/** What the loop put in front of the result, because it ran with other parameters than the model wrote. */
function noticeOf({ call, result }: Done, params: Params, changed: Params | undefined): string {
  const decision = result.verdict?.decision;
  if (decision?.kind === "modify") return sentences.changed(decision.params);
  if (decision?.kind === "replace") return sentences.replaced(decision.call);
  const parsed = parseArguments(call);
  const mended = parsed.kind === "parsed" && parsed.repaired ? sentences.mended(params) : "";
  const front = changed ? sentences.changed(changed) : mended;
  return decision?.kind === "approve" && decision.note !== undefined
    ? sentences.underNotice(front, sentences.noted(decision.note))
    : front;
}

/** The words of the tool, without what the loop says before and after them. */
function bare({ call, result, outputPath }: Done, notice: string): string {
  const { content, status, message } = result;
  const parsed = parseArguments(call);
  if (parsed.kind === "malformed" || outputPath === null)
    return sentences.withoutAdditions(content, { notice, kept: "" });
  const flow = flowOf(parsed.params, { _outputPath: outputPath, ...parsed.fields });
  if (typeof flow === "string") return sentences.withoutAdditions(content, { notice, kept: "" });
  const places = placesFor(flow, { status, ...(isDataMessage(message) && { message }) });
  return sentences.withoutAdditions(content, { notice, kept: sentences.keptAs(places.map(nameOf)) });
}

function isDataMessage(value: unknown): value is DataMessage {
  return (
    typeof value === "object" && value !== null && "data" in value && "kind" in value && typeof value.kind === "string"
  );
}
