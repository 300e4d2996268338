// One call that waits: what it would do and why it asks, the buttons, and below them the form, another call or the reason box.
import { useRef } from "preact/hooks";
import type { ToolInfo } from "../src/protocol/events.ts";
import type { Decision } from "../src/protocol/messages.ts";
import type { Ask, CallItem } from "../src/protocol/viewCall.ts";
import { AllowPart } from "./allowPart.tsx";
import { useFold, useTools } from "./context.ts";
import { Counts } from "./counts.tsx";
import { Form } from "./form.tsx";
import { sameParams } from "./formModel.ts";
import { hasHunks, HunkList, ReviewButton } from "./hunkList.tsx";
import { Button, Icon, IconButton } from "./icon.tsx";
import { isHost, isOffered } from "./pendingActions.ts";
import type { Actions, Part } from "./pendingActions.ts";
import { Preview } from "./preview.tsx";
import { ReasonBox } from "./reasonBox.tsx";
import { ReplacementPart } from "./replacementPart.tsx";
import type { FormDraft, Replacement } from "./ui.ts";
import { inSentence, title, verbOf } from "./words.ts";
import { t, told } from "./l10n.ts";

interface Props {
  readonly call: CallItem;
  /** What may be put in its place. */
  readonly tools: readonly ToolInfo[];
  /** The delegates that it works for; "" for the run's own. */
  readonly within: string;
  /** The one that the keys are for. */
  readonly active: boolean;
  /** Shows what it would do even before it is the active one. */
  readonly opens: boolean;
  readonly sending: boolean;
  readonly form: FormDraft | undefined;
  readonly replacement: Replacement | undefined;
  readonly reason: string | undefined;
  /** The part that a person opened just now. */
  readonly takesFocus: Part | null;
  readonly open: (call: CallItem, part: Part) => void;
  readonly close: (call: CallItem) => void;
  readonly decide: (call: CallItem, decision: Decision) => void;
  readonly allow: Actions["allow"];
}

export function PendingRow(props: Props) {
  const { call, within, active, sending } = props;
  // What was shown once stays: nothing may move above the row that a person has come to.
  const shown = useRef(props.opens);
  shown.current ||= active;
  const [unfolded, toggle] = useFold(`pending-${call.id}`, shown.current);
  return (
    <li
      class={classes({ "pending-row": true, active, sending })}
      data-row=""
      data-call={call.id}
      tabIndex={-1}
      aria-label={`${within === "" ? title(call) : t("{0}, for {1}", title(call), within)}. ${told(call.ask?.why ?? "")} ${keysInWords(call)}`}
    >
      <Content {...props} unfolded={unfolded} toggle={toggle} />
    </li>
  );
}

function keysInWords(call: CallItem): string {
  const always = isOffered(call) ? [t("A always allows")] : [];
  const keys = isHost(call)
    ? [t("Enter allows it for this command"), ...always, t("Backspace refuses")]
    : [
        t("Enter approves"),
        ...always,
        ...(call.review ? [t("V reviews")] : []),
        t("E modifies"),
        t("R replaces"),
        t("Backspace rejects"),
      ];
  return `${keys.join(", ")}.`;
}

interface ContentProps extends Props {
  readonly unfolded: boolean;
  readonly toggle: () => void;
}

function Content(props: ContentProps) {
  const { call, within, active, form, replacement, reason, unfolded, toggle } = props;
  const short = !active && !unfolded;
  const free = !form && !replacement && reason === undefined && props.takesFocus !== "allow";
  return (
    <>
      <div class="pending-title">
        <PendingName call={call} open={unfolded} toggle={toggle} />
        {free && <Decisions {...props} short={short} />}
      </div>
      {within !== "" && <p class={short ? "why short" : "why"}>{t("for {0}", within)}</p>}
      {call.ask && <Words ask={call.ask} short={short} />}
      <Parts {...props} />
    </>
  );
}

/** What is unfolded below: the form, another call, the reason box, and what the call would do. */
function Parts(props: ContentProps) {
  const { call, sending, form, replacement, reason, takesFocus, unfolded, close, decide } = props;
  return (
    <>
      {form && <FormPart {...props} draft={form} />}
      {replacement && <ReplacementPart {...props} replacement={replacement} />}
      {!form && !replacement && unfolded && <WhatItDoes call={call} sending={sending} />}
      {takesFocus === "allow" && (
        <AllowPart
          offers={call.ask?.offers ?? []}
          what={inSentence(call)}
          sending={sending}
          onAllow={(offer, scope) => props.allow(call, offer, scope)}
          onCancel={() => close(call)}
        />
      )}
      {reason !== undefined && (
        <ReasonBox
          id={call.id}
          what={inSentence(call)}
          text={reason}
          sending={sending}
          takesFocus={takesFocus === "reject"}
          onReject={(decision) => decide(call, decision)}
          onCancel={() => close(call)}
        />
      )}
    </>
  );
}

function WhatItDoes({ call, sending }: Pick<Props, "call" | "sending">) {
  if (hasHunks(call)) return <HunkList call={call} sending={sending} />;
  return call.preview && <Preview id={`pending-${call.id}`} preview={call.preview} />;
}

function classes(names: Readonly<Record<string, boolean>>): string {
  return Object.keys(names)
    .filter((name) => names[name])
    .join(" ");
}

interface WordsProps {
  readonly ask: Ask;
  /** One line is enough: a person has not come to this call yet. */
  readonly short: boolean;
}

/** Why it asks, the model's own reason, and what was wrong with the last change to it. */
function Words({ ask, short }: WordsProps) {
  const reason = ask.reason === undefined || ask.reason === "" ? null : t("“{0}”", ask.reason);
  if (short && ask.problem === undefined) return <p class="why short">{reason ?? told(ask.why)}</p>;
  return (
    <>
      {reason !== null && <p class="reason">{reason}</p>}
      <p class="why">{told(ask.why)}</p>
      {ask.problem !== undefined && (
        <p class="problem">
          <Icon name="error" />
          <span>{told(ask.problem)}</span>
        </p>
      )}
    </>
  );
}

interface NameProps {
  readonly call: CallItem;
  readonly open: boolean;
  readonly toggle: () => void;
}

function PendingName({ call, open, toggle }: NameProps) {
  return (
    <div class="pending-name">
      <IconButton
        name={open ? "chevron-down" : "chevron-right"}
        label={open ? t("Hide what it would do") : t("Show what it would do")}
        onClick={toggle}
      />
      <span class="verb">{verbOf(call.label)}</span>
      <Subject call={call} open={open} />
    </div>
  );
}

interface SubjectProps {
  readonly call: CallItem;
  readonly open: boolean;
}

/** The file with its counts, or the command, unless that stands below anyway. */
function Subject({ call, open }: SubjectProps) {
  const { store } = useTools();
  const { preview, label } = call;
  if (preview?.kind === "command" && open) return null;
  if (preview?.kind === "diffs") return <Files call={call} open={open} />;
  if (preview?.kind !== "diff") return <span class="subject">{label.subject}</span>;
  const { path, created } = preview;
  return (
    <>
      <button
        type="button"
        class="file"
        tabIndex={-1}
        title={t("Open {0}", path)}
        onClick={() => store.post({ type: "file:open", path })}
      >
        {label.subject}
      </button>
      <Counts preview={preview} />
      {created && <span class="tag">{t("new file")}</span>}
      {open && call.review && <ReviewButton call={call} />}
    </>
  );
}

/** A change of several files: they are named below, each with its hunks. */
function Files({ call, open }: SubjectProps) {
  return (
    <>
      <span class="subject">{call.label.subject}</span>
      <Counts preview={call.preview} />
      {open && call.review && <ReviewButton call={call} />}
    </>
  );
}

interface DecisionsProps extends Props {
  /** Pictures instead of words. */
  readonly short: boolean;
}

function Decisions(props: DecisionsProps) {
  const { call, active, sending, short, open, decide } = props;
  if (short) return <ShortDecisions {...props} />;
  const words = isHost(call) ? hostWords : callWords;
  return (
    <div class="decisions">
      <Button
        inList
        kind={active ? "primary" : "secondary"}
        title={t("{0} (Enter)", words.approveTitle)}
        disabled={sending}
        onClick={() => decide(call, { kind: "approve" })}
      >
        {words.approve} <kbd>⏎</kbd>
      </Button>
      {isOffered(call) && (
        <Button inList title={t("Make a rule and approve (A)")} disabled={sending} onClick={() => open(call, "allow")}>
          {t("Always…")} <kbd>A</kbd>
        </Button>
      )}
      {!isHost(call) && <ChangeDecisions {...props} />}
      <Button
        inList
        title={t("{0}, with a reason if you like (Backspace)", words.reject)}
        disabled={sending}
        onClick={() => open(call, "reject")}
      >
        {words.reject} <kbd>⌫</kbd>
      </Button>
    </div>
  );
}

const callWords = { approve: t("Approve"), approveTitle: t("Approve"), reject: t("Reject") };
const hostWords = { approve: t("Allow once"), approveTitle: t("Allow it for this command"), reject: t("Refuse") };

function ChangeDecisions({ call, tools, sending, open }: DecisionsProps) {
  return (
    <>
      <Button inList title={t("Change it first (E)")} disabled={sending} onClick={() => open(call, "modify")}>
        {t("Modify")} <kbd>E</kbd>
      </Button>
      {tools.length > 0 && (
        <Button
          inList
          title={t("Run another call instead (R)")}
          disabled={sending}
          onClick={() => open(call, "replace")}
        >
          {t("Replace…")} <kbd>R</kbd>
        </Button>
      )}
    </>
  );
}

function ShortDecisions({ call, tools, sending, open, decide }: DecisionsProps) {
  const words = isHost(call) ? hostWords : callWords;
  const approve = (): void => decide(call, { kind: "approve" });
  return (
    <div class="decisions short">
      <IconButton name="check" label={words.approve} disabled={sending} onClick={approve} />
      {!isHost(call) && (
        <IconButton name="edit" label={t("Modify")} disabled={sending} onClick={() => open(call, "modify")} />
      )}
      {tools.length > 0 && !isHost(call) && (
        <IconButton name="arrow-swap" label={t("Replace")} disabled={sending} onClick={() => open(call, "replace")} />
      )}
      <IconButton name="close" label={words.reject} disabled={sending} onClick={() => open(call, "reject")} />
    </div>
  );
}

interface FormPartProps extends Props {
  readonly draft: FormDraft;
}

function FormPart({ call, draft, sending, takesFocus, close, decide }: FormPartProps) {
  const { store } = useTools();
  const { ask, id } = call;
  if (!ask) return null;
  return (
    <Form
      label={t("Change: {0}", inSentence(call))}
      proposal={ask}
      marks
      draft={draft}
      sending={sending}
      takesFocus={takesFocus === "modify"}
      onChange={(next) => store.setUi({ forms: { ...store.state().ui.forms, [id]: next } })}
      onRun={(params) =>
        decide(call, sameParams(params, ask.params) ? { kind: "approve" } : { kind: "modify", params })
      }
      onCancel={() => close(call)}
    />
  );
}
