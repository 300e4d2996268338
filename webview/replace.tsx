// Another call in the place of a pending one: first a tool is chosen from a list, then its form is filled in.
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ToolInfo } from "../src/protocol/events.ts";
import type { Decision } from "../src/protocol/messages.ts";
import type { Ask, CallItem } from "../src/protocol/viewCall.ts";
import { Cancel, Form } from "./form.tsx";
import { carriedOver, firstDraft } from "./formModel.ts";
import { Button, Icon } from "./icon.tsx";
import type { FormDraft, Replacement } from "./ui.ts";
import { inSentence } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly call: CallItem;
  readonly ask: Ask;
  readonly tools: readonly ToolInfo[];
  readonly replacement: Replacement;
  readonly sending: boolean;
  /** Opened just now by a person: the cursor goes in. */
  readonly takesFocus: boolean;
  readonly onChange: (replacement: Replacement) => void;
  readonly onDecide: (decision: Decision) => void;
  readonly onCancel: () => void;
}

export function ReplacePart(props: Props) {
  const { call, ask, tools, replacement, takesFocus, onChange, onCancel } = props;
  const tool = tools.find((one) => one.name === replacement.tool);
  // A step from list to form or back is a person's own: only a restored draft leaves the focus where it is.
  const [stepped, step] = useState(false);
  const focus = takesFocus || stepped;
  const onStep = (next: Replacement): void => {
    step(true);
    onChange(next);
  };
  if (tool && replacement.form) {
    return <Chosen {...props} tool={tool} form={replacement.form} takesFocus={focus} onStep={onStep} />;
  }
  const choose = (chosen: ToolInfo): void => {
    const params = carriedOver(chosen.schema, ask.params);
    onStep({ ...replacement, tool: chosen.name, form: firstDraft({ schema: chosen.schema, params }) });
  };
  return (
    <ToolPicker
      label={t("Instead of: {0}", inSentence(call))}
      tools={tools.filter((one) => one.name !== call.toolName)}
      search={replacement.search}
      takesFocus={focus}
      onSearch={(search) => onChange({ ...replacement, search })}
      onChoose={choose}
      onCancel={onCancel}
    />
  );
}

interface ChosenProps extends Props {
  readonly tool: ToolInfo;
  readonly form: FormDraft;
  /** Back to the list. */
  readonly onStep: (replacement: Replacement) => void;
}

function Chosen(props: ChosenProps) {
  const { call, ask, tool, form, replacement, sending, takesFocus, onStep, onChange, onDecide, onCancel } = props;
  const { name, description, schema } = tool;
  const proposal = useMemo(() => ({ schema, params: carriedOver(schema, ask.params) }), [schema, ask.params]);
  return (
    <div class="replacement">
      <div class="replacement-head">
        <span>
          {t("Instead:")} <span class="mono">{name}</span>
        </span>
        <Button
          kind="link"
          title={t("Choose another tool")}
          onClick={() => onStep({ ...replacement, tool: null, form: null })}
        >
          {t("Other tool")}
        </Button>
      </div>
      <p class="tool-description" title={description}>
        {description}
      </p>
      <Form
        key={name}
        label={t("{0} instead of: {1}", name, inSentence(call))}
        proposal={proposal}
        marks={false}
        draft={form}
        sending={sending}
        takesFocus={takesFocus}
        onChange={(next) => onChange({ ...replacement, form: next })}
        onRun={(params) => onDecide({ kind: "replace", call: { name, params } })}
        onCancel={onCancel}
      />
    </div>
  );
}

interface PickerProps {
  readonly label: string;
  readonly tools: readonly ToolInfo[];
  readonly search: string;
  readonly takesFocus: boolean;
  readonly onSearch: (text: string) => void;
  readonly onChoose: (tool: ToolInfo) => void;
  readonly onCancel: () => void;
}

/** A field that narrows a list; the arrows move in the list while the cursor stays in the field. */
function ToolPicker({ label, tools, search, takesFocus, onSearch, onChoose, onCancel }: PickerProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [at, setAt] = useState(0);
  const found = useMemo(() => matching(tools, search), [tools, search]);
  const active = Math.min(at, found.length - 1);
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const tool = found[active];
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && event.target === field.current && tool) onChoose(tool);
    else if (event.key === "ArrowDown") setAt(Math.min(active + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(active - 1, 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="replacement" onKeyDown={onKeyDown}>
      <div class="replacement-search">
        <input
          ref={field}
          type="text"
          role="combobox"
          aria-label={t("{0}. Choose a tool.", label)}
          aria-expanded="true"
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
          placeholder={t("Which tool instead?")}
          spellcheck={false}
          value={search}
          onInput={(event) => {
            setAt(0);
            onSearch(event.currentTarget.value);
          }}
        />
        <Cancel title={t("Leave the call as it was proposed (Esc)")} onClick={onCancel} />
      </div>
      <ToolList id={id} tools={found} active={active} onPoint={setAt} onChoose={onChoose} />
      {found.length === 0 && (
        <p class="quiet" role="status">
          <Icon name="search" /> {t("No tool is called that. Clear the field to see all of them.")}
        </p>
      )}
    </div>
  );
}

interface ToolListProps {
  readonly id: string;
  readonly tools: readonly ToolInfo[];
  /** The one that Enter chooses. */
  readonly active: number;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (tool: ToolInfo) => void;
}

function ToolList({ id, tools, active, onPoint, onChoose }: ToolListProps) {
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <ul class="tools" id={id} role="listbox" aria-label={t("Tools")}>
      {tools.map((tool, index) => (
        <li
          key={tool.name}
          id={`${id}-${index}`}
          class={index === active ? "tool active" : "tool"}
          role="option"
          aria-selected={index === active}
          onClick={() => onChoose(tool)}
          onPointerMove={() => onPoint(index)}
        >
          <span class="mono">{tool.name}</span>
          <span class="tool-description">{tool.description}</span>
        </li>
      ))}
    </ul>
  );
}

/** Tools whose name or description holds every word; those whose name begins so come first. */
function matching(tools: readonly ToolInfo[], search: string): readonly ToolInfo[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = ({ name, description }: ToolInfo): boolean => {
    const text = `${name} ${name.replaceAll("_", " ")} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rank = ({ name }: ToolInfo): number => (words.some((word) => name.toLowerCase().includes(word)) ? 0 : 1);
  return tools.filter(holds).toSorted((a, b) => rank(a) - rank(b));
}
