// Everything the engine needs from outside, as functions and plain data. The engine imports nothing else of the product but protocol.
import type { AgentDefinition, ScopeRules } from "../protocol/agents.ts";
import type { Attachment } from "../protocol/attachments.ts";
import type { Failure } from "../protocol/errors.ts";
import type { Label, Preview } from "../protocol/calls.ts";
import type { LoopEvent } from "../protocol/events.ts";
import type { Queue } from "./queue.ts";
import type { DataMessage } from "./state.ts";
import type { Rule } from "../protocol/rules.ts";
import type { Tracer } from "../protocol/tracing.ts";
import type { Changes } from "../protocol/changes.ts";
import type { CallError, Entry, Message, Params, PauseChoice, PauseReason } from "../protocol/messages.ts";
import type { ContentPart, PlanDecision, PlanStep, ToolCall, Verdict } from "../protocol/messages.ts";
import type { Usage } from "../protocol/usage.ts";

export type JsonSchema = Params;

// ── The model ──────────────────────────────────────────────────────────────────────────────────────────────────

/** A tool as the model is told of it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** The endpoint itself is to hold calls to the parameters, where it can. */
  readonly strict?: boolean;
}

export interface ModelRequest {
  readonly system: string;
  /** Oldest first; every assistant message with calls is followed by one tool message per call. */
  readonly messages: readonly Message[];
  /** Empty: the model must answer in words. */
  readonly tools: readonly ToolSpec[];
  /** JSON Schema that the endpoint is to hold the answer to; only for models that say `structures`. */
  readonly output?: JsonSchema;
}

export type FinishReason = "stop" | "calls" | "length" | "refusal";

/** What a reply is made of, in the order it arrives. `finish` or `error` is always the last event, and there is exactly one. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly text: string }
  /** A call begins to arrive: its name is known, its arguments are not. */
  | { readonly type: "call:start"; readonly id: string; readonly name: string }
  /** A piece of the arguments of a call that was announced; only to be shown (C-47). */
  | { readonly type: "call:delta"; readonly id: string; readonly text: string }
  /** A call is complete by the wire's own sign (C-47). Its id was announced by `call:start`. */
  | { readonly type: "call"; readonly call: ToolCall }
  /**
   * What one try used; comes once for each, and the sum counts. `cost`: US dollars, as the endpoint itself says;
   * absent: it does not. `beside`: tokens of thoughts that it does not count as output.
   */
  | { readonly type: "usage"; readonly usage: Usage; readonly cost?: number; readonly beside?: number }
  /** What the provider wants back with this message; kept, never read. */
  | { readonly type: "provider"; readonly data: unknown }
  /** The request failed before anything was shown and is tried again after `delay` milliseconds. */
  | { readonly type: "retry"; readonly attempt: number; readonly delay: number; readonly reason: string }
  /** What follows is of another model than the request was meant for. `notice`: why, the first time. */
  | { readonly type: "model"; readonly model: Pick<Model, "id" | "price">; readonly notice: string | null }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** `retryAfter` is in milliseconds. */
  | { readonly type: "error"; readonly failure: Failure; readonly retryable: boolean; readonly retryAfter?: number };

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** For what was read from the provider's cache; absent: as much as `input`. */
  readonly cached?: number;
  /** For what was written to that cache; absent: as much as `input`. */
  readonly cacheWrite?: number;
  /** A request that reads more costs another price as a whole; null: nobody knows which. */
  readonly long?: { readonly over: number; readonly price: Price | null };
}

export interface Model {
  /** As the endpoint knows it. */
  readonly id: string;
  /** Tokens it reads at once. */
  readonly contextWindow: number;
  /** As settings name it; absent: not known. */
  readonly provider?: string;
  /** Absent: not known, and only costs that the endpoint itself says are counted. */
  readonly price?: Price;
  /** Whether the endpoint can hold answers to this schema itself, beside tools; absent: it never can. */
  readonly structures?: (schema: JsonSchema) => boolean;
  /** One request. Never throws: a failure is the last event. After an abort it ends without a last event. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

// ── Tools ──────────────────────────────────────────────────────────────────────────────────────────────────────

export type Effect = "read" | "write" | "run";

/** What a call would touch, as the model named it: only used to keep calls on one resource in order. */
export interface Touches {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** A command: may touch anything. */
  readonly runs: boolean;
}

/** A run of its own, as the work of one call (DIGEST 1.16). */
export interface DelegateRequest {
  /** Name of an agent; null: an anonymous one that knows nothing but its task. */
  readonly agent: string | null;
  readonly task: string;
  /** What it is shown of the run's data. */
  readonly data: readonly DataMessage[];
}

/** A prompt as the work of one call: what its conversation begins with is written already (PROMPTY 9.6). */
export interface PromptRequest {
  /** Its identity is all of the system prompt. */
  readonly prompt: AgentDefinition;
  /** Oldest first. Never written down: values that a model may not see can have gone into them. */
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** For the transcript, in their place: what the caller has asked. */
  readonly asked: string;
}

export interface CallContext {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** Live output, for the person; the model reads the result. */
  readonly output: (chunk: string) => void;
  /** The engine's own fields of the call, as the model wrote them: names that begin with `_`. */
  readonly fields: Params;
  /** What the call may see of the run's data: its scopes, in its instance (LOOP-SCOPE-1, -3). */
  readonly data: readonly DataMessage[];
  /** The keys that `data` is limited to; null: neither the tool nor the call names any. */
  readonly scopes: readonly string[] | null;
  /**
   * Asks the person for what the work waits for; the time of the call and of the run stands still meanwhile.
   * @param prompt the question, as the work has put it; may be empty
   * @returns null when there is nobody to ask, or they end the input. Rejects only when the signal is aborted
   */
  readonly enter: (prompt: string, signal: AbortSignal) => Promise<string | null>;
  /**
   * Whether the work may reach a host: by the rules as they are now, else by asking the person, once for each host and
   * port of the call; its time stands still meanwhile.
   * @param signal aborted once nobody waits for the work any more: then nobody is asked. Never rejects
   */
  readonly reach: (target: HostTarget, signal: AbortSignal) => Promise<Reached>;
  /** Runs an agent inside the limits and the rights of this run. Never rejects. */
  readonly delegate: (request: DelegateRequest | PromptRequest) => Promise<ToolResult>;
}

export interface HostTarget {
  /** In lower case; an address of IPv6 in brackets. */
  readonly host: string;
  readonly port: number;
  /** Nobody is asked: a rule has to name it. */
  readonly ruled: boolean;
}

/** `why`: the end of a sentence for the model. */
export type Reached = { readonly kind: "allowed" } | { readonly kind: "refused"; readonly why: string };

export interface ToolResult {
  readonly status: "succeeded" | "failed";
  /** What the model reads. */
  readonly content: string;
  /** Of a failure: its kind; absent: `runtime`. */
  readonly error?: CallError["type"];
  /** Images and files that the model is shown with it. */
  readonly parts?: readonly ContentPart[];
  /** What a reference to the result gives; absent: the content. */
  readonly value?: unknown;
  /** Kept as it is instead of the value: so a tool chooses among the branches of its output path (LOOP-OUT-4). */
  readonly message?: DataMessage;
}

/** One file's text before and after a call, for whoever lets a person review it. */
export interface Proposal {
  /** Absolute. */
  readonly file: string;
  /** Relative to the workspace. */
  readonly path: string;
  /** Where the file goes with it. */
  readonly to?: string;
  /** Null when the file does not exist. */
  readonly before: string | null;
  /** Null: it is deleted. */
  readonly after: string | null;
}

/** What a person has left of each proposal of a call, in their order; null: nothing of it. */
export type LeftTexts = readonly (string | null)[];

/** A call that passed schema and scope. Nothing else can be run. */
export interface Prepared {
  readonly kind: "prepared";
  readonly params: Params;
  readonly label: Label;
  readonly preview?: Preview;
  /** Each of another file; absent: there is nothing to review. */
  readonly proposals?: readonly Proposal[];
  /** The same call with the texts that a person has left of its proposals. */
  readonly revised?: (texts: LeftTexts) => Prepared | Refusal;
  /** Milliseconds of work allowed; absent: the run's `toolTimeout`; null: it has limits of its own, as a delegate has. */
  readonly timeout?: number | null;
  /** Never throws for a failure of the work itself: that is a result. */
  run(context: CallContext): Promise<ToolResult>;
}

/** A call that may not run; the sentence goes to the model. `denied` is a matter of scope or policy. */
export interface Refusal {
  readonly kind: "refused";
  readonly status: "failed" | "denied";
  readonly content: string;
}

/** What a tool fixes of the fields that its calls may otherwise choose (DIGEST 1.4). */
export interface ToolFields {
  /** Its result always goes there (LOOP-OUT-3). */
  readonly outputPath?: string;
  /** `fixed`: it sees exactly these keys of the run's data; `choice`: those of them that the call asks for (LOOP-SCOPE-2). */
  readonly scopes?: { readonly kind: "fixed" | "choice"; readonly keys: readonly string[] };
  /** Nothing runs: the model itself writes the result, as `_output`, by this schema (LOOP-ACT-3). */
  readonly latent?: { readonly output: JsonSchema };
}

export interface Tool extends ToolSpec {
  readonly effect: Effect;
  /** Why a person is asked about each call, whatever rules allow and plans were approved; absent: they are not. */
  readonly alwaysAsks?: string;
  readonly fields?: ToolFields;
  /** A model with a small window does without it, unless the agent names it. */
  readonly spare?: true;
  /** Words for a call that is not checked yet. Never throws, whatever the arguments. */
  label(params: Params): Label;
  /**
   * Never throws, whatever the arguments.
   * @param toolCallId for whoever knows more of single calls
   */
  touches(params: Params, toolCallId?: string): Touches;
  /**
   * Checks arguments against the schema and paths against the scope, and works out what would be done.
   * @param toolCallId for whoever keeps something by call
   */
  prepare(params: Params, signal: AbortSignal, toolCallId: string): Promise<Prepared | Refusal>;
  /** The same tool inside a narrower scope; absent: it touches no files. */
  narrowed?(rules: ScopeRules): Tool;
}

// ── Policy ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** What policy is told of a call that passed schema and scope. */
export interface PolicyCall {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly effect: Effect;
  readonly preview?: Preview | undefined;
  readonly touches: Touches;
  /** Rules of each agent that it works for; they only narrow. */
  readonly narrowing: readonly (readonly Rule[])[];
}

export type Ruling =
  /** `rule`: the one that allowed it, as it is written down; absent: it needs none. */
  | { readonly kind: "allow"; readonly rule?: string }
  /** `offers`: lists of rules each of which would allow it from now on. */
  | { readonly kind: "ask"; readonly why: string; readonly offers?: readonly (readonly Rule[])[] }
  /** The sentence goes to the model; nobody is asked. */
  | { readonly kind: "deny"; readonly why: string };

/** Decides whether a call may run, must be asked about, or may not run. Changes nothing. */
export type Policy = (call: PolicyCall) => Ruling | Promise<Ruling>;

// ── People ─────────────────────────────────────────────────────────────────────────────────────────────────────

export interface PendingCall {
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly params: Params;
  readonly label: Label;
  readonly why: string;
  /** What it would make of files. */
  readonly proposals?: readonly Proposal[];
  /** Lists of rules each of which would allow it from now on, the narrowest first. */
  readonly offers?: readonly (readonly Rule[])[];
  /** What policy says of it now: rules may have come since it was asked about. Never rejects. */
  readonly again?: () => Ruling | Promise<Ruling>;
}

export interface Approval {
  readonly decision: Verdict["decision"];
  /** With `approve`: what the person has left of the proposals; absent: all of it as it was. */
  readonly texts?: LeftTexts;
  readonly by: Verdict["by"];
  /** The rule that allowed it meanwhile. */
  readonly rule?: string;
}

/** Waits for a decision about one call. Rejects only when the signal is aborted. */
export type Approve = (call: PendingCall, signal: AbortSignal) => Promise<Approval>;

export interface PlanQuestion {
  readonly runId: string;
  readonly planId: string;
  readonly steps: readonly PlanStep[];
}

export interface PlanApproval {
  readonly decision: PlanDecision;
  readonly by: Verdict["by"];
}

/** Waits for a decision about the calls of a reply as a whole. Rejects only when the signal is aborted. */
export type ApprovePlan = (plan: PlanQuestion, signal: AbortSignal) => Promise<PlanApproval>;

export interface Pause {
  readonly runId: string;
  readonly reason: PauseReason;
  readonly message: string;
  readonly choices: readonly PauseChoice[];
}

/** Waits for a choice about how a run goes on. Rejects only when the signal is aborted. */
export type Choose = (pause: Pause, signal: AbortSignal) => Promise<PauseChoice>;

/** A call at work that waits for something to be typed. */
export interface InputQuestion {
  readonly runId: string;
  readonly toolCallId: string;
  readonly prompt: string;
}

/** Waits for a text; null ends the input. Rejects only when the signal is aborted. */
export type Enter = (question: InputQuestion, signal: AbortSignal) => Promise<string | null>;

// ── What is kept ───────────────────────────────────────────────────────────────────────────────────────────────

/** A killed process loses no line; `durable` ones also outlive a power failure. */
export interface Durability {
  readonly durable: boolean;
}

/**
 * What was taken of each entry before a session's history, in their order. They are read when it is called, and none is kept.
 * Throws LoopError `disk_write` when they cannot be read.
 */
export type Earlier = <T>(take: (entry: Entry) => readonly T[]) => Promise<readonly T[]>;

/** One session, opened for writing by one run: its lock is held until `release`. */
export interface SessionHandle {
  readonly id: string;
  /** Whole runs, as far back as a request can still read them: what a compaction stands for may be left out. */
  readonly history: readonly Entry[];
  readonly earlier: Earlier;
  /** Sentences about what had to be repaired while opening; empty when nothing was wrong. */
  readonly repairs: readonly string[];
  /** Aborted when another window asks for the session; absent: nobody can. */
  readonly wanted?: AbortSignal;
  /**
   * Appends whole lines in order of the calls. Throws LoopError `disk_write` when the disk refused three times.
   * @param options `durable`: returns when a power failure cannot take them any more, nor any line before them
   */
  append(entries: readonly Entry[], options?: Durability): Promise<void>;
  /** Idempotent. Never throws. */
  release(): Promise<void>;
}

export interface Sessions {
  /**
   * Creates the session when there is none with this id yet and `create` is set, and takes its lock.
   * Throws LoopError `session_not_found`, `session_busy`, `session_terminated` or `disk_write`.
   */
  open(id: string, options: { create: boolean; runId: string }): Promise<SessionHandle>;
}

export interface Memory {
  /** The text of MEMORY.md, or `""` when there is none. */
  read(): Promise<string>;
}

export interface Agents {
  /** The named agent, or the default one. Throws LoopError `agent_not_found` or `agent_invalid`. */
  resolve(name: string | undefined): Promise<AgentDefinition>;
}

/** A call that is about to change something. */
export interface ChangingCall {
  readonly sessionId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly effect: Exclude<Effect, "read">;
  /** What it names itself; a command may change anything. */
  readonly writes: readonly string[];
}

/** What was there before a call is kept. */
export interface Taken {
  /** A sentence for the person when not everything could be kept. */
  readonly problem?: string;
  /** Looks at what the call has changed. Never throws. To be called once, when the call has ended, however it has. */
  after(): Promise<{ readonly changes: Changes | null; readonly problem?: string }>;
}

/** Keeps what a call may change, so that it can be undone. */
export interface Snapshots {
  /** Never throws. @returns null when nothing is to be kept */
  before(call: ChangingCall, signal: AbortSignal): Promise<Taken | null>;
}

/** What the people of a project ask of everyone who works on it. */
export interface Rules {
  /** `""` when there are none. */
  readonly text: string;
  /** Sentences for the person about what of them the model is not shown. */
  readonly notices: readonly string[];
}

export interface Attached {
  readonly attachments: readonly Attachment[];
  /** Sentences for the person about what was named and is not among them. */
  readonly notices: readonly string[];
}

/** Fetches what a message names by `@`, as far as its agent may read it. Never rejects. */
export type Attach = (message: string, agent: AgentDefinition, signal: AbortSignal) => Promise<Attached>;

// ── Time and chance ────────────────────────────────────────────────────────────────────────────────────────────

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls back once after so many milliseconds, unless the returned function is called first. */
  after(milliseconds: number, callback: () => void): () => void;
}

export type Ids = () => string;

/** Receives every event. What it throws is swallowed: a listener cannot break the loop. */
export type Emit = (event: LoopEvent) => void;

export interface Ports {
  readonly model: (agent: AgentDefinition) => Promise<Model>;
  /** @param tell gets sentences for the person about tools that are missing */
  readonly tools: (agent: AgentDefinition, tell: (notice: string) => void) => Promise<readonly Tool[]>;
  /** Absent: reading is free, and everything else is asked about. */
  readonly policy?: Policy;
  readonly approve: Approve;
  /** Absent: plans are not asked about. */
  readonly approvePlan?: ApprovePlan;
  /** Absent: nobody is there to choose, and a run that has used up its limits ends. */
  readonly choose?: Choose;
  /** Absent: nobody is there to type anything. */
  readonly enter?: Enter;
  /** Checks a value against a JSON Schema. @returns a sentence for each problem; none when it holds */
  readonly validate: (schema: JsonSchema, value: unknown) => readonly string[];
  readonly sessions: Sessions;
  /** Absent: who starts runs keeps them apart, and a session that has one is busy. */
  readonly queue?: Queue;
  readonly memory: Memory;
  readonly agents: Agents;
  /** Absent: a message is its words alone. */
  readonly attach?: Attach;
  /** Absent: nothing can be undone. */
  readonly snapshots?: Snapshots;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A few lines about the workspace for the system prompt: name, roots, platform. */
  readonly project: () => Promise<string>;
  /** Read anew for every run. Never throws. Absent: there are none. @param maxLength characters that they may have */
  readonly rules?: (maxLength: number) => Promise<Rules>;
  /** Absent: nobody measures. */
  readonly tracer?: Tracer;
  /** For what a person does not see but a log should have. */
  readonly log: (message: string) => void;
}
