// The conversation: what the model reads and what the transcript keeps, one JSON object a line, the seed's fields first.
import * as z from "zod";
import { Attachment } from "./attachments.ts";
import { Label, Preview } from "./calls.ts";
import { Changes, Touched } from "./changes.ts";
import { Todo } from "./todos.ts";
import { RequestRecord, Usage, Wait } from "./usage.ts";

export const ToolCall = z.object({
  id: z.string(),
  name: z.string(),
  /** JSON text exactly as the model wrote it. */
  arguments: z.string(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** How a call ended. Every call ends in exactly one of these. */
export const CallStatus = z.enum(["succeeded", "failed", "rejected", "denied", "cancelled", "skipped"]);
export type CallStatus = z.infer<typeof CallStatus>;

export const RunStatus = z.enum([
  "completed",
  "completed_with_errors",
  "max_iterations",
  "timeout",
  "aborted",
  "stalled",
  "refusal",
  "error",
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** A piece of a message. `value` of what is not text is an address (https), a `data:` URL, or base64 of `mediaType`. */
export const ContentPart = z.object({
  kind: z.enum(["text", "image", "file", "audio"]),
  value: z.string(),
  mediaType: z.string().exactOptional(),
  /** Of a file. */
  name: z.string().exactOptional(),
  /** Of an image: how closely it is to be looked at, in the endpoint's own word. */
  detail: z.string().exactOptional(),
  /** Of an image: a small picture of it for people, as a `data:` URL. No model reads it. */
  thumbnail: z.string().exactOptional(),
});
export type ContentPart = z.infer<typeof ContentPart>;

const Params = z.record(z.string(), z.unknown());
export type Params = z.infer<typeof Params>;

export const Decision = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("approve"),
    /** Some of what was proposed was left out or written otherwise; the result says what. */
    revised: z.literal(true).optional(),
    /** What the person said of it, for the model. */
    note: z.string().optional(),
  }),
  z.object({ kind: z.literal("modify"), params: Params }),
  z.object({ kind: z.literal("replace"), call: z.object({ name: z.string(), params: Params }) }),
  z.object({ kind: z.literal("reject"), reason: z.string().optional() }),
]);
export type Decision = z.infer<typeof Decision>;

/** What was decided, by whom, when: goes into the transcript with the call it was about. */
export const Verdict = z.object({
  decision: Decision,
  by: z.enum(["person", "policy"]),
  at: z.string(),
  /** The rule that allowed it, as it is written down. */
  rule: z.string().optional(),
});
export type Verdict = z.infer<typeof Verdict>;

/** Why a call did not succeed; the sentence is its result. */
export const CallError = z.object({
  type: z.enum(["structural", "runtime", "timeout", "denied", "rejected", "cancelled"]),
  /** The branch of its output path that took the error over. */
  handledBy: z.string().optional(),
});
export type CallError = z.infer<typeof CallError>;

/** A call that failed, as the model wrote it: no bound or secret values (LOOP-ERR-6). */
export interface ErrorMessage {
  readonly call: Params;
  readonly error: CallError & { readonly message: string };
}

/** One call of a plan, and the calls it comes after. */
export const PlanStep = z.object({
  toolCallId: z.string(),
  toolName: z.string(),
  label: Label,
  /** Ids of calls of the same plan: their results are used, or their order is kept. */
  after: z.array(z.string()),
});
export type PlanStep = z.infer<typeof PlanStep>;

/** What a person made of a plan before it begins; what is not named stays as it was proposed. */
export const PlanChanges = z.object({
  /** Ids of calls that do not run. */
  removed: z.array(z.string()),
  /** Calls that run with other parameters. */
  changed: z.array(z.object({ toolCallId: z.string(), params: Params })),
});
export type PlanChanges = z.infer<typeof PlanChanges>;

const changes = PlanChanges.optional();
/** `approve` lets the plan begin and still asks about each call; `approveAll` approves its calls as they are shown. */
export const PlanDecision = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("approve"), changes }),
  z.object({ kind: z.literal("approveAll"), changes }),
  z.object({ kind: z.literal("reject"), reason: z.string().optional() }),
]);
export type PlanDecision = z.infer<typeof PlanDecision>;

/** What can be used up, or go wrong in a way that a person should see before more is spent. */
export const PauseReason = z.enum(["rounds", "time", "tokens", "cost", "repetition"]);
export type PauseReason = z.infer<typeof PauseReason>;

export const PauseChoice = z.enum(["continue", "sumUp", "stop"]);
export type PauseChoice = z.infer<typeof PauseChoice>;

const line = {
  id: z.string(),
  runId: z.string(),
  timestamp: z.string(),
  /** The call that this line is part of the work of: a delegate's. Not part of the session's own conversation. */
  within: z.string().optional(),
};

export const UserEntry = z.looseObject({
  role: z.literal("user"),
  content: z.string(),
  /** Images, files and audio with it; with text among them they are the message in its order, and `content` is its words. */
  parts: z.array(ContentPart).optional(),
  ...line,
  agent: z.string().optional(),
  /** Sent into a run that was going on: the run began with an earlier message. */
  steering: z.boolean().optional(),
  attachments: z.array(Attachment).optional(),
  /** How the run was set up, where that is not the usual way. */
  setup: z
    .looseObject({
      plan: z.literal("lazy").optional(),
      dataFlow: z.literal(false).optional(),
      earlyStart: z.enum(["read", "off"]).optional(),
      reconsiderOnError: z.literal(true).optional(),
      output: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
});

export const AssistantEntry = z.looseObject({
  role: z.literal("assistant"),
  content: z.string(),
  tool_calls: z.array(ToolCall).optional(),
  ...line,
  iteration: z.number(),
  /** The model that wrote it. */
  model: z.string().optional(),
  /** What the request took that it answers; absent: not known, as in older records. */
  request: RequestRecord.optional(),
  /** Set when the reply broke off; such text is never taken for an answer. */
  interrupted: z.boolean().optional(),
  /** What the provider wants back, as it sent it. Nobody else reads it. */
  providerData: z.unknown().optional(),
});

export const ToolEntry = z.looseObject({
  role: z.literal("tool"),
  tool_call_id: z.string(),
  content: z.string(),
  /** What it shows beside its words. */
  parts: z.array(ContentPart).optional(),
  ...line,
  name: z.string(),
  status: CallStatus,
  /** When its work began; of one that did no work, when it ended. Absent: not known, as in older records. */
  at: z.string().optional(),
  /** Milliseconds of work, without the time a person took to decide. */
  duration: z.number(),
  /** When a person was asked about it, or by it; absent: never, or not known. */
  waited: z.array(Wait).optional(),
  label: Label.optional(),
  /** What its tool may do to the workspace; absent: it only reads. */
  effect: z.enum(["write", "run"]).optional(),
  touches: Touched.optional(),
  /** What it would do, as it was shown to whoever decided. */
  preview: Preview.optional(),
  verdict: Verdict.optional(),
  error: CallError.optional(),
  /** Files that it has changed; absent: none, or nobody has looked. */
  changes: Changes.optional(),
  /** Calls that it waited for last, by id. */
  after: z.array(z.string()).optional(),
  /** What references to it give, where it was kept and is not the content. */
  value: z.unknown().optional(),
  /** The data message that it chose to leave in place of a value. */
  message: z.unknown().optional(),
});

/** What was decided about the calls of a reply as a whole. */
export const PlanEntry = z.looseObject({
  type: z.literal("plan"),
  ...line,
  /** When it was asked about; absent: not known. */
  asked: z.string().optional(),
  /** As it was proposed. */
  steps: z.array(PlanStep),
  /** What the person left of it; absent: all. */
  revised: z.array(PlanStep).optional(),
  decision: PlanDecision,
  by: z.enum(["person", "policy"]),
});

/** A run that waited for a choice. The model never reads it. */
export const PauseEntry = z.looseObject({
  type: z.literal("pause"),
  ...line,
  /** When it began; absent: not known. */
  asked: z.string().optional(),
  reason: PauseReason,
  message: z.string(),
  choice: PauseChoice,
});

/**
 * The calls of a reply that was still being written when one of them was about to change something: should the process end
 * now, the line says what was begun. The reply's own line replaces it.
 */
export const BegunEntry = z.looseObject({
  type: z.literal("begun"),
  ...line,
  /** The reply's id. */
  messageId: z.string(),
  iteration: z.number(),
  model: z.string().optional(),
  content: z.string(),
  tool_calls: z.array(ToolCall),
});

export const RunEndEntry = z.looseObject({
  type: z.literal("run_end"),
  ...line,
  status: RunStatus,
  duration: z.number(),
  usage: Usage,
  /** US dollars; absent: not known. */
  cost: z.number().optional(),
  iterations: z.number().optional(),
  /** Requests that left no line of their own: those that failed, say. */
  requests: z.array(RequestRecord).optional(),
  /** What the last request and its reply really took of the window, and what they were counted as; absent: not known. */
  took: z.looseObject({ model: z.string(), tokens: z.number(), own: z.number(), measure: z.number() }).optional(),
  error: z.looseObject({ code: z.string(), status: z.number(), message: z.string(), next: z.string() }).optional(),
});

/** What the session is called from here on; given by a person. Belongs to no run: its `runId` is `""`. */
export const TitleEntry = z.looseObject({ type: z.literal("title"), ...line, title: z.string() });

/** Everything before it was copied from another session. Belongs to no run: its `runId` is `""`. */
export const ForkEntry = z.looseObject({
  type: z.literal("fork"),
  ...line,
  /** `entryId`: the entry that it was forked at; the copy ends with its turn, or before it. */
  forkedFrom: z.object({ sessionId: z.string(), entryId: z.string() }),
});

/** Something that outlives a compaction word for word, taken from what the transcript says and never from a summary. */
export const CarriedPart = z.looseObject({
  /** What the person said; why they refused something; what they made of a call; what was done to a file; what is to be done. */
  kind: z.enum(["message", "refusal", "change", "file", "todo"]),
  /** The entry that it was taken from; of a file its path, of a to-do its text. */
  id: z.string(),
  text: z.string(),
  /** Characters that were left out of the text. */
  cut: z.number().optional(),
});
export type CarriedPart = z.infer<typeof CarriedPart>;

/** From here on the model reads this in the place of everything before `firstKeptId` (C-07). */
export const CompactionEntry = z.looseObject({
  type: z.literal("compaction"),
  ...line,
  summary: z.string(),
  carried: z.array(CarriedPart),
  /** Parts that were to be carried and had no room. */
  leftOut: z.number().optional(),
  /** Id of the first message that the model still reads as it is; `""`: only what comes after this entry. */
  firstKeptId: z.string(),
  /** Messages that gave way. */
  messages: z.number(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  /** What the person asked of the summary. */
  instructions: z.string().optional(),
  /** Id of the compaction whose summary a person has rewritten with this one. */
  edits: z.string().optional(),
  /** What asking for the summary took. */
  requests: z.array(RequestRecord).optional(),
});

/** The compaction counts no longer, nor do edits of it. */
export const CompactionUndoneEntry = z.looseObject({
  type: z.literal("compaction_undone"),
  ...line,
  compactionId: z.string(),
});

/** The hidden turn in which the model noted what lasts, before a compaction (C-39). */
export const MemoryFlushEntry = z.looseObject({
  type: z.literal("memory_flush"),
  ...line,
  wrote: z.boolean(),
  calls: z.array(z.looseObject({ name: z.string(), arguments: z.string(), status: CallStatus, content: z.string() })),
  /** What it said that was not the agreed word for nothing. */
  said: z.string().optional(),
  requests: z.array(RequestRecord).optional(),
});

/** What calls of its run have changed was taken back by the person; `undoes`: that was taken back itself. */
export const UndoEntry = z.looseObject({
  type: z.literal("undo"),
  ...line,
  /** As outside of the calls that they are part of the work of. */
  calls: z.array(z.string()),
  /** Of those calls or of that undo, in words. */
  what: z.string(),
  /** Id of the undo entry that this one takes back. */
  undoes: z.string().optional(),
  changes: Changes,
  /** Files that were left as they are. */
  left: z.array(z.string()),
  /** So many places of one file were taken out of its text; only the editor's own undo brings them back. */
  places: z.number().optional(),
});

/** The person has changed the to-do list: all of it, as it is from here on. */
export const TodosEntry = z.looseObject({ type: z.literal("todos"), ...line, todos: z.array(Todo) });

export const Entry = z.union([
  BegunEntry,
  UserEntry,
  AssistantEntry,
  ToolEntry,
  RunEndEntry,
  PlanEntry,
  PauseEntry,
  TitleEntry,
  ForkEntry,
  CompactionEntry,
  CompactionUndoneEntry,
  MemoryFlushEntry,
  UndoEntry,
  TodosEntry,
]);
/** One line of `transcript.jsonl`. */
export type Entry = z.infer<typeof Entry>;
export type UserEntry = z.infer<typeof UserEntry>;
export type AssistantEntry = z.infer<typeof AssistantEntry>;
export type ToolEntry = z.infer<typeof ToolEntry>;
export type RunEndEntry = z.infer<typeof RunEndEntry>;
export type BegunEntry = z.infer<typeof BegunEntry>;
export type PlanEntry = z.infer<typeof PlanEntry>;
export type PauseEntry = z.infer<typeof PauseEntry>;
export type TitleEntry = z.infer<typeof TitleEntry>;
export type ForkEntry = z.infer<typeof ForkEntry>;
export type CompactionEntry = z.infer<typeof CompactionEntry>;
export type CompactionUndoneEntry = z.infer<typeof CompactionUndoneEntry>;
export type MemoryFlushEntry = z.infer<typeof MemoryFlushEntry>;
export type UndoEntry = z.infer<typeof UndoEntry>;
export type TodosEntry = z.infer<typeof TodosEntry>;

/** The lines that are part of the conversation. */
export type Message = UserEntry | AssistantEntry | ToolEntry;

export function isMessage(entry: Entry): entry is Message {
  return "role" in entry;
}

/** Lines about the session as a whole: they are part of no run and no turn. */
export function isAboutSession(entry: Entry): entry is TitleEntry | ForkEntry {
  return !isMessage(entry) && (entry.type === "title" || entry.type === "fork");
}

/** Lines that change what a run has left, mostly after it has ended: they belong to that run and begin none. */
export function isRevision(entry: Entry): entry is CompactionEntry | CompactionUndoneEntry | UndoEntry | TodosEntry {
  if (isMessage(entry)) return false;
  if (entry.type === "undo" || entry.type === "todos") return true;
  return entry.type === "compaction_undone" || (entry.type === "compaction" && entry.edits !== undefined);
}
