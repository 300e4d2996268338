// Calls in the transcript: state, what each does in words, its time; unfolded, all about it and the calls under it.
import { Arriving } from "./arriving.tsx";
import { CallDetails } from "./callDetails.tsx";
import { InputBox } from "./inputBox.tsx";
import { stateNames } from "./stateNames.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallItem } from "../src/protocol/viewCall.ts";
import type { Item } from "../src/protocol/viewTurn.ts";
import { stripAnsi } from "./ansi.ts";
import { StateIcon } from "./callState.tsx";
import { partsInWords } from "./callTree.ts";
import type { CallTree } from "./callTree.ts";
import { useFold } from "./context.ts";
import { Counts } from "./counts.tsx";
import { groupCalls } from "./group.ts";
import type { Group } from "./group.ts";
import { Head } from "./head.tsx";
import { memo } from "./memo.ts";
import { count, duration, proposedLabel, standing, title, verbOf } from "./words.ts";
import { t } from "./l10n.ts";

interface RowsProps {
  readonly runId: string;
  readonly calls: readonly CallItem[];
  /** All of the turn. */
  readonly items: readonly Item[];
  readonly tree: CallTree;
}

/** The calls that stand side by side under one call. */
function CallRows({ runId, calls, items, tree }: RowsProps) {
  return (
    <div class="parts">
      {groupCalls(calls, tree).map((row) =>
        row.kind === "group" ? (
          <GroupRow key={row.id} runId={runId} group={row} />
        ) : (
          row.kind === "call" && <CallOf key={row.id} runId={runId} call={row} items={items} tree={tree} />
        ),
      )}
    </div>
  );
}

interface CallOfProps {
  readonly runId: string;
  readonly call: CallItem;
  readonly items: readonly Item[];
  readonly tree: CallTree;
}

/** A call with what it waits for, and with what is under it. */
export function CallOf({ runId, call, items, tree }: CallOfProps) {
  const waitsFor = namesOf(call.waitsFor, items);
  const calls = tree.parts.get(call.id);
  return calls ? (
    <CallRow
      runId={runId}
      call={call}
      waitsFor={waitsFor}
      parts={{ words: partsInWords(tree, call.id), rows: { runId, calls, items, tree } }}
    />
  ) : (
    <CallRow runId={runId} call={call} waitsFor={waitsFor} parts={null} />
  );
}

function namesOf(ids: readonly string[], items: readonly Item[]): string {
  const names = ids.flatMap((id) => {
    const call = items.find((item) => item.kind === "call" && item.id === id);
    return call?.kind === "call" ? [title(call)] : [];
  });
  const rest = names.length - 2;
  if (rest <= 0) return names.join(` ${t("and")} `);
  return count("{1} and {0} other", "{1} and {0} others", rest, names.slice(0, 2).join(", "));
}

interface RowProps {
  readonly runId: string;
  readonly call: CallItem;
  /** What it waits for, in words. */
  readonly waitsFor: string;
  /** The calls under it; null for a call that does its work itself. */
  readonly parts: { readonly words: string; readonly rows: RowsProps } | null;
}

const ongoing: readonly CallItem["state"][] = ["streaming", "blocked", "ready", "pending", "running"];

const CallRow = memo(function CallRow({ runId, call, waitsFor, parts }: RowProps) {
  const key = `${runId}/${call.id}`;
  // What a person has watched stays when it has ended: nothing may fold away under the pointer.
  const watched = useRef(false);
  watched.current ||= parts !== null && ongoing.includes(call.state);
  const [open, toggle] = useFold(key, watched.current);
  const { waited, note } = noteOf(call, waitsFor, parts?.words ?? "");
  const details = `details-${key}`;
  return (
    <div class={classOf(call, waited)}>
      <Head open={open} toggle={toggle} details={details} item={call.id} title={title(call)}>
        <StateIcon state={call.state} />
        <span class="call-words">
          <Name call={call} /> {note !== "" && <span class="call-note">{note}</span>}
        </span>
        <span class="for-readers">{call.state === "pending" ? "" : stateNames[call.state]}</span> <Time call={call} />
      </Head>
      {open ? (
        <CallDetails id={details} runId={runId} call={call} parts={parts && <CallRows {...parts.rows} />} />
      ) : (
        <Tail call={call} />
      )}
      {call.input !== null && <InputBox call={call} prompt={call.input} />}
    </div>
  );
});

function classOf({ state, replaced }: CallItem, waited: boolean): string {
  return ["call", state, ...(replaced ? ["replaced"] : []), ...(waited ? ["waited"] : [])].join(" ");
}

/** What stands after its name. What it has waited for stays there: a row that gets shorter would move all below it. */
function noteOf(call: CallItem, waitsFor: string, parts: string): { readonly waited: boolean; readonly note: string } {
  const waited = call.state !== "blocked" && waitsFor !== "";
  const words = [waited ? t("after {0}", waitsFor) : "", standing(call, waitsFor), parts];
  return { waited, note: words.filter((word) => word !== "").join(" · ") };
}

interface CallProps {
  readonly call: CallItem;
}

function Name({ call }: CallProps) {
  const label = proposedLabel(call);
  const { subject } = label;
  return (
    <span class="call-name">
      <span class="verb">{verbOf(label)}</span> {subject !== "" && <span class="subject">{subject}</span>}
      {call.replaced === null && <Counts preview={call.preview} />}
    </span>
  );
}

const tailLines = 6;

/** The last lines of what a running call prints, or of what a failed one ended with. */
function Tail({ call }: CallProps) {
  if (call.arriving[0]) return <Arriving call={call} />;
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
      <Head
        open={open}
        toggle={toggle}
        details={parts}
        class="call-head group-head"
        item={open ? undefined : calls.map(({ id }) => id).join(" ")}
        title={calls.map(title).join("\n")}
      >
        <span class="group-names">
          {calls.slice(0, named).map((call) => (
            <span class="group-name" key={call.id}>
              <StateIcon state={call.state} />
              <Name call={call} />
            </span>
          ))}
          {rest > 0 && <span class="quiet">{count("and {0} other", "and {0} others", rest)}</span>}
        </span>
        <span class="for-readers">{t("done")}</span>
      </Head>
      {open && (
        <div class="group-parts" id={parts}>
          {calls.map((call) => (
            <CallRow key={call.id} runId={runId} call={call} waitsFor="" parts={null} />
          ))}
        </div>
      )}
    </div>
  );
}
