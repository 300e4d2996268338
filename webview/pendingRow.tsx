// One call that waits: what it would do and why it asks, the buttons, and below them the form or the reason box.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Decision } from "../src/protocol/messages.ts";
import type { Ask, CallItem } from "../src/protocol/view.ts";
import { useFold, useTools } from "./context.ts";
import { Counts } from "./diff.tsx";
import { Form } from "./form.tsx";
import { sameParams } from "./formModel.ts";
import { Button, Icon } from "./icon.tsx";
import { Preview } from "./preview.tsx";
import type { FormDraft } from "./ui.ts";
import { inSentence, title } from "./words.ts";

export type Part = "modify" | "reject";

interface Props {
  readonly call: CallItem;
  /** The one that the keys are for. */
  readonly active: boolean;
  /** Shows what it would do even before it is the active one. */
  readonly opens: boolean;
  readonly sending: boolean;
  readonly form: FormDraft | undefined;
  readonly reason: string | undefined;
  /** The part that a person opened just now. */
  readonly takesFocus: Part | null;
  readonly open: (call: CallItem, part: Part) => void;
  readonly close: (call: CallItem) => void;
  readonly decide: (call: CallItem, decision: Decision) => void;
}

export function PendingRow(props: Props) {
  const { call, active, sending, form, reason } = props;
  const unseen = useRef(props.opens);
  const [open, toggle] = useFold(`pending-${call.id}`, unseen.current || active);
  const { ask, preview } = call;
  return (
    <li
      class={classes({ "pending-row": true, active, sending })}
      data-row=""
      data-call={call.id}
      tabIndex={-1}
      aria-label={`${title(call)}. ${ask?.why ?? ""} Enter approves, E modifies, Backspace rejects.`}
    >
      <div class="pending-title">
        <PendingName call={call} open={open} toggle={toggle} />
        {!form && reason === undefined && <Decisions {...props} />}
      </div>
      {ask && <Words ask={ask} />}
      {form ? (
        <FormPart {...props} draft={form} />
      ) : (
        open && preview && <Preview id={`pending-${call.id}`} preview={preview} />
      )}
      {reason !== undefined && <ReasonBox {...props} text={reason} />}
    </li>
  );
}

function classes(names: Readonly<Record<string, boolean>>): string {
  return Object.keys(names)
    .filter((name) => names[name])
    .join(" ");
}

interface WordsProps {
  readonly ask: Ask;
}

/** Why it asks, the model's own reason, and what was wrong with the last change to it. */
function Words({ ask }: WordsProps) {
  return (
    <>
      {ask.reason !== undefined && ask.reason !== "" && <p class="reason">“{ask.reason}”</p>}
      <p class="why">{ask.why}</p>
      {ask.problem !== undefined && (
        <p class="problem">
          <Icon name="error" />
          <span>{ask.problem}</span>
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
      <button
        type="button"
        class={`icon-button codicon codicon-chevron-${open ? "down" : "right"}`}
        tabIndex={-1}
        aria-expanded={open}
        aria-label={`${open ? "Hide" : "Show"} what it would do`}
        title={open ? "Hide what it would do" : "Show what it would do"}
        onClick={toggle}
      />
      <span class="verb">{call.label.verb}</span>
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
  if (preview?.kind !== "diff") return <span class="subject">{label.subject}</span>;
  const { path, created } = preview;
  return (
    <>
      <button
        type="button"
        class="file"
        tabIndex={-1}
        title={`Open ${path}`}
        onClick={() => store.post({ type: "file:open", path })}
      >
        {label.subject}
      </button>
      <Counts {...preview} />
      {created && <span class="tag">new file</span>}
    </>
  );
}

function Decisions({ call, active, sending, open, decide }: Props) {
  return (
    <div class="decisions">
      <Button
        inList
        kind={active ? "primary" : "secondary"}
        title="Approve (Enter)"
        disabled={sending}
        onClick={() => decide(call, { kind: "approve" })}
      >
        Approve <kbd>⏎</kbd>
      </Button>
      <Button inList title="Change it first (E)" disabled={sending} onClick={() => open(call, "modify")}>
        Modify <kbd>E</kbd>
      </Button>
      <Button
        inList
        title="Reject, with a reason if you like (Backspace)"
        disabled={sending}
        onClick={() => open(call, "reject")}
      >
        Reject <kbd>⌫</kbd>
      </Button>
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
      ask={ask}
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

interface ReasonProps extends Props {
  readonly text: string;
}

function ReasonBox({ call, text, sending, takesFocus, close, decide }: ReasonProps) {
  const { store } = useTools();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (takesFocus === "reject") field.current?.focus();
  }, [takesFocus]);
  const reject = (): void => {
    const reason = text.trim();
    decide(call, reason === "" ? { kind: "reject" } : { kind: "reject", reason });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") close(call);
    else if (event.key === "Enter" && !event.isComposing && event.target === field.current) reject();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="reason-box" onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="text"
        value={text}
        aria-label={`Why not ${inSentence(call)}? Optional.`}
        placeholder="Why not? What instead? (optional)"
        onInput={(event) =>
          store.setUi({ reasons: { ...store.state().ui.reasons, [call.id]: event.currentTarget.value } })
        }
      />
      <Button kind="primary" title="Reject (Enter)" disabled={sending} onClick={reject}>
        Reject <kbd>⏎</kbd>
      </Button>
      <Button title="Do not reject (Esc)" onClick={() => close(call)}>
        Cancel
      </Button>
    </div>
  );
}
