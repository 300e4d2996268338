// What a screen reader is told: which calls wait and how a run ended, in whole sentences, and nothing per token.
import { useEffect, useRef, useState } from "preact/hooks";
import { pendingCalls } from "../src/protocol/view.ts";
import type { View } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewTurn.ts";
import { count, inSentence } from "./words.ts";

/** Names read out of a long list. */
const named = 3;

/** The sentences that lead from one view to the next; "" when there is nothing to say. */
function whatIsNew(before: View, after: View): string {
  return [waiting(before, after), refused(before, after), ended(before, after), failed(before, after)]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function waiting(before: View, after: View): string {
  const known = new Set(pendingCalls(before).map((call) => call.id));
  const now = pendingCalls(after);
  if (now.every((call) => known.has(call.id))) return "";
  const names = now.slice(0, named).map(inSentence).join(", ");
  const rest = now.length > named ? ` and ${count(now.length - named, "other")}` : "";
  return `${count(now.length, "call")} ${now.length === 1 ? "waits" : "wait"}: ${names}${rest}.`;
}

function refused(before: View, after: View): string {
  const problems = new Map(pendingCalls(before).map((call) => [call.id, call.ask?.problem]));
  const fresh = ({ id, ask }: CallItem): boolean => ask?.problem !== undefined && ask.problem !== problems.get(id);
  return pendingCalls(after)
    .filter(fresh)
    .map((call) => `${inSentence(call)} still waits: ${call.ask?.problem ?? ""}`)
    .join(" ");
}

function ended(before: View, after: View): string {
  const turn = after.turns.at(-1);
  const old = before.turns.find((other) => other.runId === turn?.runId);
  if (!turn?.end || !old || old.end) return "";
  switch (turn.end.status) {
    case "completed":
    case "completed_with_errors":
      return "Answer finished.";
    case "aborted":
      return "Stopped.";
    case "max_iterations":
      return "The limit of rounds is reached.";
    case "timeout":
      return "The run is out of time.";
    case "stalled":
    case "refusal":
    case "error":
      return "The run ended without an answer.";
  }
}

function failed(before: View, after: View): string {
  const failure = after.failure ?? after.turns.at(-1)?.failure ?? null;
  const old = before.failure ?? before.turns.at(-1)?.failure ?? null;
  return failure && failure !== old ? `${failure.message} ${failure.next}` : "";
}

interface Props {
  readonly view: View;
}

export function Announcer({ view }: Props) {
  const told = useRef(view);
  const [sentence, say] = useState("");
  useEffect(() => {
    const news = whatIsNew(told.current, view);
    told.current = view;
    if (news !== "") say(news);
  }, [view]);
  return (
    <div class="for-readers" role="status" aria-live="polite">
      {sentence}
    </div>
  );
}
