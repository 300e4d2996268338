// What passes between the panel and the host. The host parses (a webview is a foreign process); the panel trusts the host.
import * as z from "zod";
import type { PanelEvent } from "./events.ts";
import { type ContentPart, Decision, PauseChoice, PlanDecision } from "./messages.ts";
import { RuleScope } from "./rules.ts";
import { type FindAnswer, FindAsked, SessionAct, SessionsAsked, Sought, type SessionsFound } from "./sessions.ts";
import type { SelectedLines, Suggestion } from "./suggestions.ts";
import { TodoEdit } from "./todos.ts";
import type { Trace } from "./trace.ts";
import type { View } from "./view.ts";
import { base64Length, fileTypes, imageTypes, mostPartBytes, mostParts, mostThumbnail } from "./viewParts.ts";

/** The product's own commands that the panel may run, by their short names. */
const PanelCommand = z.enum([
  "newSession",
  "openSession",
  "selectAgent",
  "selectModel",
  "setUpModel",
  "setApiKey",
  "openSettings",
  "openMemory",
  "compactConversation",
  "undoRun",
  "exportSession",
  "showRules",
  "showLog",
  "openFolder",
  "trust",
  "openAgent",
]);
export type PanelCommand = z.infer<typeof PanelCommand>;

const SubmitHow = z.enum(["queue", "steer", "interrupt"]);
export type SubmitHow = z.infer<typeof SubmitHow>;

const part = {
  value: z.base64().max(base64Length(mostPartBytes)),
  name: z.string().min(1).max(200),
  thumbnail: z
    .string()
    .max(mostThumbnail)
    .regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/)
    .exactOptional(),
};
/** An image or a PDF with a message. */
const SentPart = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("image"), mediaType: z.enum(imageTypes), ...part }),
  z.object({ kind: z.literal("file"), mediaType: z.enum(fileTypes), ...part }),
]);
export type SentPart = z.infer<typeof SentPart>;

/** What is half written in a composer. */
export const Draft = z.object({ text: z.string(), parts: z.array(SentPart).max(mostParts).readonly() });
export type Draft = z.infer<typeof Draft>;

/** Those of a message's parts that a panel could have sent itself. */
export function sendable(parts: readonly ContentPart[] = []): readonly SentPart[] {
  return parts.flatMap(({ name = "Image", ...part }) => SentPart.safeParse({ ...part, name }).data ?? []);
}

export const ToHost = z.discriminatedUnion("type", [
  /** The panel has drawn itself and wants the snapshot; `from`: with this turn, which is being read. */
  z.object({ type: z.literal("panel:ready"), from: z.string().optional() }),
  /** A batch of events is on the screen: the next one may come. */
  z.object({ type: z.literal("panel:drawn"), batch: z.number() }),
  /** The answer to `ping`. */
  z.object({ type: z.literal("panel:alive") }),
  /**
   * A message. While a run is going on it waits until the run has ended (`queue`), is read by the model at the next safe
   * point (`steer`), or ends the run and starts the next (`interrupt`); otherwise it starts a run.
   */
  z.object({
    type: z.literal("prompt:submit"),
    text: z.string(),
    how: SubmitHow.optional(),
    parts: z.array(SentPart).max(mostParts).readonly().optional(),
  }),
  /** What is half written; `parts` absent: as before. A closed tab takes with it what only its panel knows. */
  Draft.partial({ parts: true }).extend({ type: z.literal("panel:draft") }),
  /** The runs before the first one that is shown. */
  z.object({ type: z.literal("session:earlier") }),
  /** Asks whoever writes the open session to stop, so that this window may write it. */
  z.object({ type: z.literal("session:takeOver") }),
  /** The page of sessions lists these, and hears of what changes until it is closed. */
  SessionsAsked.extend({ type: z.literal("sessions:find") }),
  z.object({ type: z.literal("sessions:close") }),
  /** Does something to one of the listed sessions; `title`: its new one; `sought`: where it is to be opened. */
  z.object({
    type: z.literal("session:do"),
    session: z.string(),
    act: SessionAct,
    title: z.string().max(10_000).optional(),
    sought: Sought.optional(),
  }),
  /** Looks for words in the open session, in the place of what was looked for before. */
  FindAsked.extend({ type: z.literal("session:find") }),
  /** Shows one of the places where they stand: so many farther up, or with a number below zero farther down. */
  z.object({ type: z.literal("session:findNext"), by: z.number().int() }),
  z.object({ type: z.literal("session:pin"), session: z.string(), pinned: z.boolean() }),
  z.object({ type: z.literal("queue:remove"), id: z.string() }),
  z.object({ type: z.literal("queue:edit"), id: z.string(), text: z.string() }),
  /** So many places back, or with a number below zero to the front. */
  z.object({ type: z.literal("queue:move"), id: z.string(), by: z.number().int() }),
  /** Sends a queued message now. */
  z.object({ type: z.literal("queue:send"), id: z.string(), how: SubmitHow }),
  /** Opens a copy of the session that ends before one of its messages, whose text goes back into the composer. */
  z.object({ type: z.literal("message:edit"), messageId: z.string() }),
  /** Opens a copy of the session that ends with the turn of one of its messages. */
  z.object({ type: z.literal("message:fork"), messageId: z.string() }),
  /** Sends a message once more, with what was given with it; `text`: its words. */
  z.object({ type: z.literal("message:again"), messageId: z.string(), text: z.string() }),
  z.object({ type: z.literal("call:decide"), toolCallId: z.string(), decision: Decision }),
  /** About one hunk of a change that waits; when none is open any more the call is answered. */
  z.object({
    type: z.literal("hunk:decide"),
    toolCallId: z.string(),
    hunkId: z.string(),
    state: z.enum(["open", "accepted", "rejected"]),
  }),
  /** Shows a change that waits in an editor. */
  z.object({ type: z.literal("call:review"), toolCallId: z.string() }),
  /** Types a line into a call at work; null ends its input. */
  z.object({ type: z.literal("call:input"), toolCallId: z.string(), text: z.string().nullable() }),
  /** Mirrors a call's output in a terminal. */
  z.object({ type: z.literal("call:terminal"), toolCallId: z.string() }),
  /** Shows a result without its masks, outside of the panel. */
  z.object({ type: z.literal("call:reveal"), toolCallId: z.string() }),
  /** The call need not wait for its command any more: that goes on in the background. */
  z.object({ type: z.literal("call:release"), toolCallId: z.string() }),
  /** Ends a command of the background. */
  z.object({ type: z.literal("command:stop"), id: z.string() }),
  /** Makes the rules of one of a waiting call's offers, by its number, and approves what they allow. */
  z.object({
    type: z.literal("call:allow"),
    toolCallId: z.string(),
    offer: z.number().int().nonnegative(),
    scope: RuleScope,
  }),
  z.object({ type: z.literal("plan:decide"), planId: z.string(), decision: PlanDecision }),
  z.object({ type: z.literal("pause:choose"), choice: PauseChoice }),
  /** Puts a summary of a person's own in the place of a compaction's. */
  z.object({ type: z.literal("context:edit"), compactionId: z.string(), summary: z.string() }),
  /** The model is to read again what a compaction has summed up. */
  z.object({ type: z.literal("context:undo"), compactionId: z.string() }),
  /** Shows what undoing would do and asks: a whole run, one call of it, or an undo. */
  z.object({
    type: z.literal("changes:undo"),
    runId: z.string(),
    toolCallId: z.string().optional(),
    undoId: z.string().optional(),
  }),
  z.object({ type: z.literal("todos:edit"), edit: TodoEdit }),
  z.object({ type: z.literal("run:stop") }),
  /** Asks for the trace of a run of the open session, as far as it is written. */
  z.object({ type: z.literal("trace:read"), runId: z.string() }),
  z.object({ type: z.literal("file:open"), path: z.string(), line: z.number().int().positive().optional() }),
  z.object({ type: z.literal("link:open"), url: z.string() }),
  z.object({ type: z.literal("text:copy"), text: z.string() }),
  /** Code of an answer: for the editor that was used last, for a new one, or as a proposed change to a file. */
  z.object({
    type: z.literal("code:use"),
    how: z.enum(["insert", "open", "apply"]),
    /** The panel's name for this use; where code is applied, it is told of it by this name. */
    use: z.string(),
    text: z.string(),
    /** As the answer calls it. */
    language: z.string(),
    /** What stands behind its fence, and the end of what stands above it: they may name the file. */
    info: z.string(),
    above: z.string(),
  }),
  z.object({ type: z.literal("command:run"), command: PanelCommand }),
  /** Asks what could be meant by what is being typed; the answer has the same number. */
  z.object({ type: z.literal("suggest"), sigil: z.enum(["@", "/"]), text: z.string(), number: z.number() }),
  /** Files that were dropped on the composer, as URIs. */
  z.object({ type: z.literal("files:drop"), uris: z.array(z.string()) }),
]);
export type ToHost = z.infer<typeof ToHost>;

/** How far code has come that is applied: under review, written, nothing of it written, or taken back. */
export type ApplyState = "reviewed" | "applied" | "left" | "undone";

export type ToWebview =
  /** The view with its newest turns; the panel asks for those before them. */
  | { readonly type: "snapshot"; readonly view: View }
  | { readonly type: "earlier"; readonly turns: View["turns"]; readonly more: boolean }
  /** `batch`: to be acknowledged with this number once it is drawn. */
  | { readonly type: "events"; readonly events: readonly PanelEvent[]; readonly batch?: number }
  /** Asks whether the panel still works. */
  | { readonly type: "ping" }
  /** Asks the panel to open the form of a pending call, or its reason box; sent by palette commands. */
  | { readonly type: "call:focus"; readonly toolCallId: string; readonly part: "modify" | "reject" | "row" }
  | { readonly type: "composer:focus" }
  /** Shows something that was found; the panel has its turn. `stay`: the focus stays where it is, in the find box. */
  | ({ readonly type: "sought:show"; readonly stay?: true } & Sought)
  /** Opens the find box. */
  | { readonly type: "find:show" }
  | ({ readonly type: "session:found" } & FindAnswer)
  /** Opens the trace of a run; sent by a palette command. */
  | { readonly type: "trace:show"; readonly runId: string }
  /** Null: there is nothing of the run that could be read. */
  | { readonly type: "trace"; readonly runId: string; readonly trace: Trace | null }
  | { readonly type: "code:used"; readonly use: string; readonly state: ApplyState }
  | { readonly type: "suggested"; readonly number: number; readonly found: readonly Suggestion[] }
  /** Opens the page of sessions. */
  | { readonly type: "sessions:show"; readonly deleted: boolean }
  | ({ readonly type: "sessions:rows" } & SessionsFound)
  /** What is selected in the editor; null: nothing. */
  | { readonly type: "selection"; readonly selected: SelectedLines | null }
  /** Puts a text behind what is being typed, and the focus after it. */
  | { readonly type: "composer:insert"; readonly text: string }
  /** Puts what was half written in a panel that is gone before what is being typed, and answers with all of it. */
  | ({ readonly type: "draft:left" } & Draft)
  /** Puts a message before what is being typed, and the focus after it. */
  | { readonly type: "composer:write"; readonly text: string; readonly parts?: readonly SentPart[] };
