// What passes between the panel and the host. The host parses (a webview is a foreign process); the panel trusts the host.
import * as z from "zod";
import type { PanelEvent } from "./events.ts";
import { Decision, PauseChoice, PlanDecision } from "./messages.ts";
import type { View } from "./view.ts";

const SubmitHow = z.enum(["queue", "steer", "interrupt"]);
export type SubmitHow = z.infer<typeof SubmitHow>;

export const ToHost = z.discriminatedUnion("type", [
  /** The panel has drawn itself and wants the snapshot. */
  z.object({ type: z.literal("panel:ready") }),
  /**
   * A message. While a run is going on it waits until the run has ended (`queue`), is read by the model at the next safe
   * point (`steer`), or ends the run and starts the next (`interrupt`); otherwise it starts a run.
   */
  z.object({ type: z.literal("prompt:submit"), text: z.string(), how: SubmitHow.optional() }),
  z.object({ type: z.literal("queue:remove"), id: z.string() }),
  /** Sends a queued message now. */
  z.object({ type: z.literal("queue:send"), id: z.string(), how: SubmitHow }),
  /** Opens a copy of the session that ends before one of its messages, whose text goes back into the composer. */
  z.object({ type: z.literal("message:edit"), messageId: z.string() }),
  /** Opens a copy of the session that ends with the turn of one of its messages. */
  z.object({ type: z.literal("message:fork"), messageId: z.string() }),
  z.object({ type: z.literal("call:decide"), toolCallId: z.string(), decision: Decision }),
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
  z.object({ type: z.literal("run:stop") }),
  z.object({ type: z.literal("file:open"), path: z.string(), line: z.number().int().positive().optional() }),
  z.object({ type: z.literal("link:open"), url: z.string() }),
  z.object({ type: z.literal("text:copy"), text: z.string() }),
  /** One of the product's own commands, by its short name. */
  z.object({
    type: z.literal("command:run"),
    command: z.enum([
      "newSession",
      "openSession",
      "selectAgent",
      "selectModel",
      "setApiKey",
      "openSettings",
      "openMemory",
      "compactConversation",
      "showLog",
      "openFolder",
      "trust",
      "openAgent",
    ]),
  }),
]);
export type ToHost = z.infer<typeof ToHost>;

export type ToWebview =
  | { readonly type: "snapshot"; readonly view: View }
  | { readonly type: "events"; readonly events: readonly PanelEvent[] }
  /** Asks the panel to open the form of a pending call, or its reason box; sent by palette commands. */
  | { readonly type: "call:focus"; readonly toolCallId: string; readonly part: "modify" | "reject" | "row" }
  | { readonly type: "composer:focus" }
  /** Puts a text before what is being typed, and the focus after it. */
  | { readonly type: "composer:write"; readonly text: string };
