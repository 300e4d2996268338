// A call in the transcript: its state, what it does in words, its time; unfolded, all about it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallItem } from "../src/protocol/viewTurn.ts";
import { stripAnsi } from "./ansi.ts";
import { CallDetails } from "./callDetails.tsx";
import { useFold } from "./context.ts";
import { Counts } from "./diff.tsx";
import type { Group } from "./group.ts";
import { Icon } from "./icon.tsx";
import { memo } from "./memo.ts";
import { count, duration, standing, title } from "./words.ts";

const icons: Record<CallItem["state"], string> = {
  streaming: "loading",
  blocked: "circle-large-outline",
  ready: "circle-large-outline",
  pending: "question",
  running: "loading",
  succeeded: "check",
  failed: "error",
  rejected: "circle-slash",
  denied: "lock",
  cancelled: "debug-stop",
  skipped: "debug-step-over",
};

const stateNames: Record<CallItem["state"], string> = {
  streaming: "being written",
  blocked: "blocked",
  ready: "ready",
  pending: "waits for you",
  running: "running",
  succeeded: "done",
  failed: "failed",
  rejected: "rejected",
  denied: "not allowed",
  cancelled: "stopped",
  skipped: "skipped",
};

interface StateIconProps {
  readonly state: CallItem["state"];
}

function StateIcon({ state }: StateIconProps) {
  const spins = state === "running" || state === "streaming" ? " spin" : "";
  return <Icon name={icons[state]} class={`state ${state}${spins}`} />;
}

interface RowProps {
  readonly runId: string;
  readonly call: CallItem;
  /** What it waits for, in words. */
  readonly waitsFor: string;
}

export const CallRow = memo(function CallRow({ runId, call, waitsFor }: RowProps) {
  const key = `${runId}/${call.id}`;
  const [open, toggle] = useFold(key, false);
  const note = standing(call, waitsFor);
  const details = `details-${key}`;
  return (
    <div class={`call ${call.state}`}>
      <button
        type="button"
        class="call-head"
        data-row=""
        tabIndex={-1}
        aria-expanded={open}
        aria-controls={open ? details : undefined}
        title={title(call)}
        onClick={toggle}
      >
        <StateIcon state={call.state} />
        <span class="call-words">
          <Name call={call} /> {note !== "" && <span class="call-note">{note}</span>}
        </span>
        <span class="for-readers">{call.state === "pending" ? "" : stateNames[call.state]}</span> <Time call={call} />
        <Icon name={open ? "chevron-down" : "chevron-right"} class="chevron" />
      </button>
      {open ? <CallDetails id={details} call={call} /> : <Tail call={call} />}
    </div>
  );
});

interface CallProps {
  readonly call: CallItem;
}

function Name({ call }: CallProps) {
  return (
    <span class="call-name">
      <span class="verb">{call.label.verb}</span>{" "}
      {call.label.subject !== "" && <span class="subject">{call.label.subject}</span>}
      {call.preview?.kind === "diff" && <Counts {...call.preview} />}
    </span>
  );
}

const tailLines = 6;

/** The last lines of what a running call prints, or of what a failed one ended with. */
function Tail({ call }: CallProps) {
  const text = call.state === "running" ? call.output : call.state === "failed" ? call.result : "";
  if (text.trim() === "") return null;
  const lines = stripAnsi(text).trimEnd().split("\n").slice(-tailLines);
  return <pre class="tail">{lines.join("\n")}</pre>;
}

/** How long it took; while it runs, how long this panel has seen it run. */
function Time({ call }: CallProps) {
  const seen = useRef<string>(call.state);
  const [elapsed, setElapsed] = useState(0);
  useEffect(() => {
    const began = call.state === "running" && seen.current !== "running";
    seen.current = call.state;
    if (!began) return undefined;
    const start = performance.now();
    const timer = setInterval(() => setElapsed(performance.now() - start), 1_000);
    return () => clearInterval(timer);
  }, [call.state]);
  const ended = call.duration > 0 ? duration(call.duration) : "";
  const text = call.state === "running" && elapsed > 0 ? `${Math.round(elapsed / 1_000)} s` : ended;
  return <span class="time">{text}</span>;
}

interface GroupProps {
  readonly runId: string;
  readonly group: Group;
}

/** Calls named in the one line of a group. */
const named = 3;

export function GroupRow({ runId, group }: GroupProps) {
  const key = `${runId}/${group.id}`;
  const [open, toggle] = useFold(key, false);
  const { calls } = group;
  const rest = calls.length - named;
  const parts = `parts-${key}`;
  return (
    <div class="call succeeded">
      <button
        type="button"
        class="call-head group-head"
        data-row=""
        tabIndex={-1}
        aria-expanded={open}
        title={calls.map(title).join("\n")}
        onClick={toggle}
      >
        <span class="group-names">
          {calls.slice(0, named).map((call) => (
            <span class="group-name" key={call.id}>
              <StateIcon state={call.state} />
              <Name call={call} />
            </span>
          ))}
          {rest > 0 && <span class="quiet">and {count(rest, "other")}</span>}
        </span>
        <span class="for-readers">done</span>
        <Icon name={open ? "chevron-down" : "chevron-right"} class="chevron" />
      </button>
      {open && (
        <div class="group-parts" id={parts}>
          {calls.map((call) => (
            <CallRow key={call.id} runId={runId} call={call} waitsFor="" />
          ))}
        </div>
      )}
    </div>
  );
}
