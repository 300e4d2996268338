// One parameter of the form: its name, the control that fits, what is wrong, and the way back to what was proposed.
import { useId } from "preact/hooks";
import { choiceText, choicesOf, isChanged, textOf } from "./formModel.ts";
import type { Field } from "./formModel.ts";
import { IconButton } from "./icon.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly field: Field;
  readonly text: string;
  readonly problem: string | undefined;
  /** Shows that it differs from what was proposed. */
  readonly marks: boolean;
  readonly onInput: (text: string) => void;
}

export function FieldRow({ field, text, problem, marks, onInput }: Props) {
  const id = useId();
  const changed = marks && isChanged(field, text);
  const described = [
    field.description === "" ? "" : `${id}-description`,
    problem === undefined ? "" : `${id}-problem`,
  ].filter((part) => part !== "");
  return (
    <div class={`field${changed ? " changed" : ""}`}>
      <div class="field-label">
        <label for={id}>{field.label}</label>
        {!field.required && <span class="quiet">{t("optional")}</span>}
        {changed && (
          <>
            <span class="field-changed">{t("changed")}</span>
            <IconButton
              name="discard"
              label={t("Put back what was proposed for {0}", field.label)}
              stop
              onClick={() => onInput(textOf(field, field.proposed))}
            />
          </>
        )}
      </div>
      <Input
        field={field}
        text={text}
        onInput={onInput}
        attributes={{
          id,
          "aria-invalid": problem !== undefined,
          "aria-required": field.required,
          "aria-describedby": described.length === 0 ? undefined : described.join(" "),
        }}
      />
      {problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {field.description !== "" && (
        <p class="field-description" id={`${id}-description`}>
          {field.description}
        </p>
      )}
    </div>
  );
}

interface InputProps {
  readonly field: Field;
  readonly text: string;
  readonly onInput: (text: string) => void;
  readonly attributes: {
    readonly id: string;
    readonly "aria-invalid": boolean;
    readonly "aria-required": boolean;
    readonly "aria-describedby": string | undefined;
  };
}

function Input({ field, text, onInput, attributes }: InputProps) {
  switch (field.control) {
    case "choice":
      return (
        <select {...attributes} value={text} onChange={(event) => onInput(event.currentTarget.value)}>
          {(!field.required || text === "") && <option value="">—</option>}
          {choicesOf(field).map((choice) => (
            <option key={choiceText(choice)} value={choiceText(choice)}>
              {choiceText(choice)}
            </option>
          ))}
        </select>
      );
    case "switch":
      return (
        <input
          {...attributes}
          type="checkbox"
          checked={text === "true"}
          onChange={(event) => onInput(event.currentTarget.checked ? "true" : "false")}
        />
      );
    case "text":
    case "json":
      return (
        <textarea
          {...attributes}
          class="mono"
          spellcheck={false}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      );
    case "line":
    case "number":
      return (
        <input
          {...attributes}
          type="text"
          class="mono"
          spellcheck={false}
          inputMode={field.control === "number" ? "decimal" : "text"}
          value={text}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      );
  }
}
