// What the end of a call leaves behind: its value where others read it, and what went wrong as an Error Message.
import type { CallError, CallStatus, ErrorMessage, ToolEntry } from "../protocol/messages.ts";
import { parseArguments } from "./arguments.ts";
import { nameOf, type Flow } from "./dataflow.ts";
import type { ToolResult } from "./ports.ts";
import { follow, type Reference } from "./references.ts";
import type { ToolCall } from "../protocol/messages.ts";
import { keptAs } from "./sentences.ts";
import { writing, type DataMessage } from "./state.ts";

/** How a call ended, before it is told to anybody. */
export type Ending = Omit<ToolResult, "status"> & { readonly status: CallStatus };

export interface Kept {
  /** What the model is told: the result, and where it is. */
  readonly content: string;
  readonly wrote: readonly Reference[];
  readonly error?: CallError;
  /** For the transcript: what was kept, where the content does not say it. */
  readonly stored?: Pick<ToolEntry, "value" | "message">;
}

/** Writes a call's result into the run's data (LOOP-OUT-1), or its error where a branch takes it over (C-23). */
export function keepResult(flow: Flow, ending: Ending, state: DataMessage[]): Kept {
  const { method, instance } = flow;
  const { status, content, value = content, message } = ending;
  const places = placesFor(flow, ending);
  const succeeded = status === "succeeded";
  if (message) state.push({ instance, ...message });
  else
    for (const place of places)
      state.push(writing(place, succeeded ? value : { message: content }, { method, instance }));
  const names = places.map(nameOf);
  const error = errorOf(ending, succeeded ? "" : names.join(" and "));
  return {
    content: `${content}${keptAs(names)}`,
    wrote: places,
    ...(error && { error }),
    ...(succeeded && places.length > 0 && { stored: storedOf(ending) }),
  };
}

function storedOf({ content, value = content, message }: Ending): Pick<ToolEntry, "value" | "message"> {
  if (message) return { message };
  return value === content ? {} : { value };
}

/** Where a result goes: the first alternative; an error the last one, if there are several (C-23). */
export function placesFor(
  { writes }: Flow,
  { status, message }: Pick<Ending, "status" | "message">,
): readonly Reference[] {
  if (message)
    return writes.flat().filter(({ kind, path }) => kind === message.kind && follow(message.data, path).found);
  if (status === "succeeded") return writes[0] ?? [];
  return writes.length > 1 ? (writes.at(-1) ?? []) : [];
}

/** The error of an ending; none when it succeeded or its branch was not taken. */
function errorOf({ status, error }: Ending, handledBy = ""): CallError | undefined {
  if (status === "succeeded" || status === "skipped") return undefined;
  const type = status === "failed" ? (error ?? "runtime") : status;
  return { type, ...(handledBy !== "" && { handledBy }) };
}

/** An Error Message's content: the call as the model wrote it (LOOP-ERR-3, LOOP-ERR-6). */
export function errorMessage({ id, name, arguments: written }: ToolCall, error: ErrorMessage["error"]): ErrorMessage {
  const parsed = parseArguments({ id, name, arguments: written });
  const params = parsed.kind === "parsed" ? { ...parsed.params, ...parsed.fields } : { arguments: written };
  return { call: { _tool: name, ...params }, error };
}
