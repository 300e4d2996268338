// What a screen reader is told: what waits, what was queued and how a run ended, in whole sentences, and nothing per token.
import { useEffect, useRef, useState } from "preact/hooks";
import { emptyView, pendingCalls, pendingPause, pendingPlan } from "../src/protocol/view.ts";
import type { RunStatus } from "../src/protocol/messages.ts";
import type { View } from "../src/protocol/view.ts";
import type { CompactionItem } from "../src/protocol/viewContext.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item } from "../src/protocol/viewTurn.ts";
import type { UndoItem } from "../src/protocol/viewUndo.ts";
import { delegatesOf } from "./delegates.ts";
import { choices } from "./pauseView.tsx";
import { planTitle } from "./plan.ts";
import { retryWords } from "./retryLine.tsx";
import { undoWords } from "./undo.tsx";
import { compactionWords, nextStep, readingWords, unanswered } from "./endWords.ts";
import { count, inSentence } from "./words.ts";
import { t, told } from "./l10n.ts";

/** Names read out of a long list. */
const named = 3;

/** The sentences that lead from one view to the next; "" when there is nothing to say. */
function whatIsNew(before: View, after: View): string {
  return [choice, plan, room, undone, waiting, refused, queued, read, retried, ended, failed, along]
    .map((about) => about(before, after))
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function waiting(before: View, after: View): string {
  const known = new Set(pendingCalls(before).map((call) => call.id));
  const now = pendingCalls(after);
  if (now.every((call) => known.has(call.id))) return "";
  const items = after.turns.at(-1)?.items ?? [];
  const inWords = (call: CallItem): string => {
    const within = delegatesOf(call, items);
    return within === "" ? inSentence(call) : t("{0} for {1}", inSentence(call), within);
  };
  const names = now.slice(0, named).map(inWords).join(", ");
  const rest = now.length - named;
  const all = rest > 0 ? count("{1} and {0} other", "{1} and {0} others", rest, names) : names;
  return count("{0} call waits: {1}.", "{0} calls wait: {1}.", now.length, all);
}

function choice(before: View, after: View): string {
  const pause = pendingPause(after);
  if (!pause || pause.id === pendingPause(before)?.id) return "";
  const ways = pause.choices.map((one) => choices[one].words).join(", ");
  return t("Paused. {0} You can choose: {1}.", told(pause.message), ways);
}

function plan(before: View, after: View): string {
  const waits = pendingPlan(after);
  return waits && waits.id !== pendingPlan(before)?.id ? t("{0} waits for you.", planTitle(waits)) : "";
}

/** The conversation is being summed up, has been, or is read whole again. */
function room(before: View, after: View): string {
  if (before.session.id !== after.session.id) return "";
  const old = before.turns.at(-1)?.items.findLast(isCompaction);
  const now = after.turns.at(-1)?.items.findLast(isCompaction);
  if (before.compaction !== after.compaction && now?.id !== after.compaction)
    return t("Undone. The model reads the earlier messages again.");
  return now && now !== old ? compactionWords(now).replace("→", t("to")).replace(/…?$/, ".") : "";
}

/** What was changed in the newest run has been taken back, or is there again. */
function undone(before: View, after: View): string {
  const last = (view: View): UndoItem | undefined => view.turns.at(-1)?.items.findLast((item) => item.kind === "undo");
  const now = last(after);
  return now && before.session.id === after.session.id && now.id !== last(before)?.id ? `${undoWords(now)}.` : "";
}

function isCompaction(item: Item): item is CompactionItem {
  return item.kind === "compaction";
}

function queued(before: View, after: View): string {
  const more = after.queue.length - before.queue.length;
  return more > 0
    ? count("Queued: {0} message for after this run.", "Queued: {0} messages for after this run.", after.queue.length)
    : "";
}

/** A message that went into the run has come to the model. */
function read(before: View, after: View): string {
  const number = (view: View): number => view.turns.at(-1)?.items.filter(({ kind }) => kind === "user").length ?? 0;
  const same = before.turns.at(-1)?.runId === after.turns.at(-1)?.runId;
  return same && number(after) > number(before) ? t("The model reads your message.") : "";
}

/** A request failed and is sent again by itself. */
function retried(before: View, after: View): string {
  const item = after.turns.at(-1)?.items.at(-1);
  const old = before.turns.at(-1)?.items.at(-1);
  return item?.kind === "retry" && !after.turns.at(-1)?.end && item !== old ? retryWords(item) : "";
}

function refused(before: View, after: View): string {
  const problems = new Map(pendingCalls(before).map((call) => [call.id, call.ask?.problem]));
  const fresh = ({ id, ask }: CallItem): boolean => ask?.problem !== undefined && ask.problem !== problems.get(id);
  return pendingCalls(after)
    .filter(fresh)
    .map((call) => t("{0} still waits: {1}", inSentence(call), told(call.ask?.problem ?? "")))
    .join(" ");
}

function ended(before: View, after: View): string {
  const turn = after.turns.at(-1);
  const old = before.turns.find((other) => other.runId === turn?.runId);
  if (!turn?.end || !old || old.end) return "";
  const next = turn.failure ? "" : nextStep(turn.end.status, unanswered(turn.items));
  return [howItEnded(turn.end.status), next].filter((sentence) => sentence !== "").join(" ");
}

function howItEnded(status: RunStatus): string {
  switch (status) {
    case "completed":
    case "completed_with_errors":
      return t("Answer finished.");
    case "aborted":
      return t("Stopped.");
    case "max_iterations":
      return t("The limit of rounds is reached.");
    case "timeout":
      return t("The run is out of time.");
    case "stalled":
    case "refusal":
    case "error":
      return t("The run ended without an answer.");
  }
}

function along(before: View, after: View): string {
  const state = after.reading?.state;
  if (state === before.reading?.state) return "";
  if (after.reading) return readingWords(after.reading);
  return before.session.id === after.session.id ? t("The session is free. You can write in it now.") : "";
}

function failed(before: View, after: View): string {
  const failure = after.failure ?? after.turns.at(-1)?.failure ?? null;
  const old = before.failure ?? before.turns.at(-1)?.failure ?? null;
  return failure && failure !== old ? `${told(failure.message)} ${told(failure.next)}` : "";
}

interface Props {
  readonly view: View;
}

export function Announcer({ view }: Props) {
  // It is fetched: what has come meanwhile is told, too.
  const told = useRef(emptyView);
  const [sentence, say] = useState("");
  useEffect(() => {
    const news = whatIsNew(told.current, view);
    told.current = view;
    // The same words once more are only read when something has changed.
    if (news !== "") say((last) => (last === news ? `${news}\u00a0` : news));
  }, [view]);
  return (
    <div class="for-readers" role="status" aria-live="polite">
      {sentence === "" ? null : sentence}
    </div>
  );
}
