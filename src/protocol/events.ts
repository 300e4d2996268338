// Everything that can be seen of a run, as one closed union: the specification's nine, the states of a call, and what the host adds.
import * as z from "zod";
import { AttachedInfo } from "./attachments.ts";
import { Label, Preview, type Review } from "./calls.ts";
import { Todo } from "./todos.ts";
import { Changes } from "./changes.ts";
import { ContextHolds } from "./contextParts.ts";
import { CallError, CallStatus, CarriedPart, Decision, PauseChoice, PauseReason } from "./messages.ts";
import { PlanDecision, PlanStep, RunStatus } from "./messages.ts";
import { Usage } from "./usage.ts";

const run = { runId: z.string() };
const call = { ...run, toolCallId: z.string() };

export const FailureData = z.object({
  code: z.string(),
  status: z.number(),
  message: z.string(),
  next: z.string(),
  action: z.string().optional(),
  details: z.array(z.string()).readonly().optional(),
});
export type FailureData = z.infer<typeof FailureData>;

/** A tool as a person can choose it in the place of another. */
export const ToolInfo = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON Schema of the parameters: a form is made from it. */
  schema: z.record(z.string(), z.unknown()),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

/** The specification's nine (exact names and fields; fields beyond them are ours). */
const loopEvents = [
  z.object({
    type: z.literal("loop:start"),
    ...run,
    sessionId: z.string(),
    message: z.string(),
    messageId: z.string(),
    timestamp: z.string(),
  }),
  z.object({
    type: z.literal("loop:context"),
    ...run,
    tokenEstimate: z.number(),
    contextWindow: z.number(),
    /** Absent: not known. */
    holds: ContextHolds.optional(),
    agent: z.string(),
    model: z.string(),
  }),
  z.object({
    type: z.literal("loop:execute"),
    ...run,
    toolCount: z.number(),
    /** The tools that a person may put in the place of a call's own. */
    tools: z.array(ToolInfo),
  }),
  z.object({ type: z.literal("tool:start"), ...call, toolName: z.string(), label: Label }),
  z.object({
    type: z.literal("tool:end"),
    ...call,
    toolName: z.string(),
    result: z.string(),
    /** Milliseconds of work; the time a person took to decide is not in it. */
    duration: z.number(),
    status: CallStatus,
    error: CallError.optional(),
  }),
  z.object({
    type: z.literal("stream:delta"),
    ...run,
    content: z.string(),
    messageId: z.string(),
    iteration: z.number(),
  }),
  z.object({ type: z.literal("loop:persist"), ...run }),
  z.object({
    type: z.literal("loop:end"),
    ...run,
    success: z.boolean(),
    duration: z.number(),
    status: RunStatus,
    usage: Usage,
    /** US dollars; absent: not known. */
    cost: z.number().optional(),
    /** Requests that were sent to the model. */
    iterations: z.number(),
  }),
  z.object({ type: z.literal("loop:error"), ...run, error: FailureData }),
] as const;

/** States of a call before it runs. Running is `tool:start`; how it ended is `tool:end`'s status. */
const callEvents = [
  z.object({
    type: z.literal("call:streaming"),
    ...call,
    toolName: z.string(),
    messageId: z.string(),
    iteration: z.number(),
    /** The call that it is part of the work of: a delegate's. */
    within: z.string().optional(),
  }),
  /** A piece of its arguments as the model writes them: no whole JSON, not kept, and only to be shown. */
  z.object({ type: z.literal("call:delta"), ...call, text: z.string() }),
  z.object({ type: z.literal("call:blocked"), ...call, label: Label, waitsFor: z.array(z.string()) }),
  z.object({
    type: z.literal("call:ready"),
    ...call,
    label: Label,
    params: z.record(z.string(), z.unknown()),
    preview: Preview.optional(),
  }),
  z.object({
    type: z.literal("call:pending"),
    ...call,
    toolName: z.string(),
    label: Label,
    params: z.record(z.string(), z.unknown()),
    /** JSON Schema of the parameters: the form to change them is made from it. */
    schema: z.record(z.string(), z.unknown()),
    /** Why a person is asked, in one sentence. */
    why: z.string(),
    /** The model's own reason, if it gave one. */
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("call:decided"),
    ...call,
    decision: Decision,
    by: z.enum(["person", "policy"]),
    /** The rule that allowed it, as it is written down. */
    rule: z.string().optional(),
    /** Set when changed or replacing parameters were refused: the call is still waiting. */
    problem: z.string().optional(),
  }),
  z.object({ type: z.literal("tool:output"), ...call, chunk: z.string() }),
  /** It waits for something to be typed, after this question; null: not any more. */
  z.object({ type: z.literal("call:input"), ...call, prompt: z.string().nullable() }),
  /** Files that it has changed; comes before its `tool:end`, and only where there are some. */
  z.object({ type: z.literal("call:changes"), ...call, changes: Changes }),
] as const;

/** The calls of one reply as a whole; the state of each step is that of its call. */
const planEvents = [
  z.object({
    type: z.literal("plan:proposed"),
    ...run,
    planId: z.string(),
    /** `lazy`: nothing of it has started, and nothing will before `plan:decided`. */
    mode: z.enum(["eager", "lazy"]),
    steps: z.array(PlanStep),
    /** The parameters of its calls as the model wrote them, by id, so that a person can change them; absent: nobody is asked. */
    params: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
    /** Why it cannot run as it is: then nobody is asked, and the model is told. */
    problem: z.string().optional(),
  }),
  z.object({
    type: z.literal("plan:decided"),
    ...run,
    planId: z.string(),
    decision: PlanDecision,
    by: z.enum(["person", "policy"]),
    /** What is left of it, where it was changed. */
    steps: z.array(PlanStep).optional(),
    /** Why it cannot run like this: then it still waits. */
    problem: z.string().optional(),
  }),
] as const;

/** A run that waits for a choice; calls are not affected, and the model does not know. */
const pauseEvents = [
  z.object({
    type: z.literal("run:paused"),
    ...run,
    reason: PauseReason,
    /** What was reached, in one sentence. */
    message: z.string(),
    choices: z.array(PauseChoice),
  }),
  z.object({ type: z.literal("run:resumed"), ...run, choice: PauseChoice }),
] as const;

/** What becomes of a conversation that fills the model's window. */
const contextEvents = [
  /** What the next request will take, where that has changed by a hundredth of the window or more. */
  z.object({
    type: z.literal("context:estimate"),
    ...run,
    tokenEstimate: z.number(),
    contextWindow: z.number(),
    /** Absent: not known. */
    holds: ContextHolds.optional(),
  }),
  /** Long results of tools give way to a line, for the model only. */
  z.object({ type: z.literal("context:pruned"), ...run, results: z.number(), tokenEstimate: z.number() }),
  z.object({ type: z.literal("context:compacting"), ...run, compactionId: z.string(), tokensBefore: z.number() }),
  z.object({
    type: z.literal("context:compacted"),
    ...run,
    compactionId: z.string(),
    summary: z.string(),
    carried: z.array(CarriedPart),
    leftOut: z.number(),
    firstKeptId: z.string(),
    /** Messages that gave way. */
    messages: z.number(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    instructions: z.string().optional(),
    /** The compaction whose summary a person has rewritten with this one. */
    edits: z.string().optional(),
  }),
  z.object({ type: z.literal("context:undone"), ...run, compactionId: z.string() }),
  /** The hidden turn before a compaction has ended; what it wrote was told by `memory:write`. */
  z.object({ type: z.literal("memory:flush"), ...run, wrote: z.boolean() }),
] as const;

const otherEvents = [
  /** A person has taken back what calls have changed, or, with `undoes`, taken that back. */
  z.object({
    type: z.literal("changes:undone"),
    ...run,
    undoId: z.string(),
    calls: z.array(z.string()),
    undoes: z.string().optional(),
    changes: Changes,
    /** Files that were left as they are. */
    left: z.array(z.string()),
    /** So many places of one file, and not the file. */
    places: z.number().optional(),
  }),
  /** A person has changed the to-do list: all of it. */
  z.object({ type: z.literal("todos:changed"), ...run, todosId: z.string(), todos: z.array(Todo) }),
  /** A message that a person sent into the run, at the point where the model reads it. */
  z.object({
    type: z.literal("message:user"),
    ...run,
    messageId: z.string(),
    content: z.string(),
    timestamp: z.string(),
  }),
  /** What a person's message brings with it, for the model. */
  z.object({
    type: z.literal("message:attached"),
    ...run,
    messageId: z.string(),
    attached: z.array(AttachedInfo),
  }),
  z.object({ type: z.literal("stream:thinking"), ...run, content: z.string(), messageId: z.string() }),
  z.object({
    type: z.literal("message:end"),
    ...run,
    messageId: z.string(),
    iteration: z.number(),
    /** True when calls follow: the text was commentary, not the answer (C-06). */
    interim: z.boolean(),
    interrupted: z.boolean(),
    /** What the request and its reply took of the window; absent: not known. */
    usage: Usage.optional(),
  }),
  z.object({
    type: z.literal("model:retry"),
    ...run,
    attempt: z.number(),
    /** Milliseconds. */
    delay: z.number(),
    /** When the request is sent again: whoever shows it counts down by itself. */
    until: z.string(),
    reason: z.string(),
  }),
  /** Another window has asked for the session: the run ends for it, as if a person had stopped it. */
  z.object({ type: z.literal("run:handover"), ...run }),
  z.object({ type: z.literal("memory:write"), ...run, note: z.string() }),
  z.object({ type: z.literal("loop:notice"), ...run, level: z.enum(["info", "warning"]), message: z.string() }),
] as const;

export const LoopEvent = z.discriminatedUnion("type", [
  ...loopEvents,
  ...callEvents,
  ...planEvents,
  ...pauseEvents,
  ...contextEvents,
  ...otherEvents,
]);
/** What a run tells: emitted by the engine, printed by the command line, folded by the panel. */
export type LoopEvent = z.infer<typeof LoopEvent>;
export type EventOf<T extends LoopEvent["type"]> = Extract<LoopEvent, { type: T }>;

/** What the host knows and the panel shows beside a run. */
export interface Setup {
  readonly workspace: "none" | "untrusted" | "trusted";
  readonly workspaceName: string;
  readonly agent: string;
  readonly provider: string;
  readonly model: string;
  /** The model is the built-in scripted one. */
  readonly scripted: boolean;
  readonly keyMissing: boolean;
}

/** A message that waits until the run has ended. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
  /** Images and files with it. */
  readonly attached?: readonly AttachedInfo[];
}

/** Why this window only reads the open session along. */
export interface Reading {
  /**
   * `working`: another window or process writes it; `asked`: it was asked to stop; `silent`: and has not answered in time;
   * `given`: this window has given it to another one.
   */
  readonly state: "working" | "asked" | "silent" | "given";
  /** Name of the machine that writes it; null: this one. */
  readonly host: string | null;
}

/** A command that goes on without its call. */
export interface BackgroundInfo {
  readonly id: string;
  readonly command: string;
}

/** Rules that would allow a waiting call from now on, as a person sees them. */
export interface RuleOffer {
  readonly text: string;
  readonly words: string;
  /** Earlier calls of the session that they would have allowed. */
  readonly matches: readonly string[];
}

/** Events the host adds to a run's, so that the panel is a fold of events and of nothing else. */
export type HostEvent =
  | { readonly type: "panel:setup"; readonly setup: Setup }
  | { readonly type: "session:open"; readonly sessionId: string | null; readonly title: string }
  /** Runs before the first one that is shown, oldest first. */
  | {
      readonly type: "session:earlier";
      readonly events: readonly LoopEvent[];
      /** There are others before them. */
      readonly more: boolean;
    }
  /** Null: this window may write the session. */
  | { readonly type: "session:reading"; readonly reading: Reading | null }
  | { readonly type: "commands:changed"; readonly commands: readonly BackgroundInfo[] }
  | { readonly type: "queue:changed"; readonly queue: readonly QueuedMessage[] }
  /** A person has decided about a part of a change that waits. */
  | { readonly type: "review:changed"; readonly runId: string; readonly toolCallId: string; readonly review: Review }
  /** More of an argument that the model is writing, decoded: of the last one if it has this name, else of a new one. */
  | {
      readonly type: "call:field";
      readonly runId: string;
      readonly toolCallId: string;
      readonly name: string;
      readonly text: string;
    }
  | {
      readonly type: "call:offers";
      readonly runId: string;
      readonly toolCallId: string;
      readonly offers: readonly RuleOffer[];
    }
  /** A failure outside any run, shown until the next run or session. */
  | { readonly type: "panel:failure"; readonly failure: FailureData };

export type PanelEvent = LoopEvent | HostEvent;
