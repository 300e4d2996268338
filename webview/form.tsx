// The form of a call's parameters: one field for each of them, or all of it as JSON.
import { useId, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Params } from "../src/protocol/messages.ts";
import { FieldRow } from "./field.tsx";
import { fieldsOf, readForm, switchShape } from "./formModel.ts";
import type { Proposal } from "./formModel.ts";
import { Button, Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";
import type { FormDraft } from "./ui.ts";
import { t } from "./l10n.ts";

interface Props {
  /** What the form is for. */
  readonly label: string;
  readonly proposal: Proposal;
  /** Fields show that they differ from the proposal. */
  readonly marks: boolean;
  readonly draft: FormDraft;
  readonly sending: boolean;
  /** Opened just now by a person: the cursor goes in. */
  readonly takesFocus: boolean;
  /** Nothing runs with it yet: the values are kept. */
  readonly keeps?: boolean;
  readonly onChange: (draft: FormDraft) => void;
  readonly onRun: (params: Params) => void;
  readonly onCancel: () => void;
}

export function Form(props: Props) {
  const { label, proposal, marks, draft, sending, takesFocus, keeps = false, onChange, onRun, onCancel } = props;
  const fields = useMemo(() => fieldsOf(proposal, Object.keys(draft.texts)), [proposal, draft.texts]);
  const reading = useMemo(() => readForm(fields, draft), [fields, draft]);
  const wrong = Object.keys(reading.problems).length > 0;
  const form = useRef<HTMLFormElement>(null);
  const other = switchShape(proposal, draft);
  useLayoutEffect(() => {
    if (takesFocus) form.current?.querySelector<HTMLElement>("textarea, input, select, button")?.focus();
  }, [takesFocus]);

  const run = (): void => {
    if (!sending && !wrong) onRun(reading.params);
    else form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form ref={form} class="form" aria-label={label} onKeyDown={onKeyDown} onSubmit={(event) => event.preventDefault()}>
      {draft.raw ? (
        <Whole json={draft.json} problem={reading.problems[""]} onInput={(json) => onChange({ ...draft, json })} />
      ) : (
        fields.map((field) => (
          <FieldRow
            key={field.key}
            field={field}
            text={draft.texts[field.key] ?? ""}
            problem={reading.problems[field.key]}
            marks={marks}
            onInput={(text) => onChange({ ...draft, texts: { ...draft.texts, [field.key]: text } })}
          />
        ))
      )}
      {!draft.raw && fields.length === 0 && <p class="quiet">{t("It needs nothing to be said.")}</p>}
      <Buttons
        raw={draft.raw}
        keeps={keeps}
        canRun={!sending && !wrong}
        onRun={run}
        onCancel={onCancel}
        onSwitch={other && (() => onChange(other))}
      />
    </form>
  );
}

interface ButtonsProps {
  readonly raw: boolean;
  readonly keeps: boolean;
  readonly canRun: boolean;
  readonly onRun: () => void;
  readonly onCancel: () => void;
  /** Null while the JSON text cannot be read into fields. */
  readonly onSwitch: (() => void) | null;
}

function Buttons({ raw, keeps, canRun, onRun, onCancel, onSwitch }: ButtonsProps) {
  return (
    <div class="form-buttons">
      <Button
        kind="primary"
        title={
          keeps ? t("Keep these values for when it runs (Ctrl+Enter)") : t("Run it with these values (Ctrl+Enter)")
        }
        disabled={!canRun}
        onClick={onRun}
      >
        {keeps ? t("Keep") : t("Run")} <kbd>{isMac() ? "⌘⏎" : t("Ctrl+⏎")}</kbd>
      </Button>
      <Cancel title={t("Leave the call as it was proposed (Esc)")} onClick={onCancel} />
      <span class="grow" />
      <button
        type="button"
        class="toggle"
        aria-pressed={raw}
        disabled={!onSwitch}
        title={raw ? t("Edit the single fields") : t("Edit the whole as JSON")}
        onClick={() => onSwitch?.()}
      >
        <Icon name="json" /> JSON
      </button>
    </div>
  );
}

interface WholeProps {
  readonly json: string;
  readonly problem: string | undefined;
  readonly onInput: (json: string) => void;
}

function Whole({ json, problem, onInput }: WholeProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {t("All parameters, as JSON")}
      </label>
      <textarea
        id={id}
        class="mono"
        spellcheck={false}
        value={json}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface CancelProps {
  readonly title: string;
  readonly onClick: () => void;
}

export function Cancel(props: CancelProps) {
  return (
    <Button {...props}>
      {t("Cancel")} <kbd>Esc</kbd>
    </Button>
  );
}
