// Changing a plan before it begins: what the buttons of its steps do, and the form of the step that is being changed.
import { useState } from "preact/hooks";
import type { ToolInfo } from "../src/protocol/events.ts";
import type { PlanStep } from "../src/protocol/messages.ts";
import type { PlanItem } from "../src/protocol/viewTurn.ts";
import { useTools } from "./context.ts";
import { Form } from "./form.tsx";
import { firstDraft } from "./formModel.ts";
import { noDraft, proposalOf, withChanged, withRemoved } from "./planDraft.ts";
import type { StepEditing } from "./planSteps.tsx";
import { without } from "./ui.ts";
import type { FormDraft, PlanDraft } from "./ui.ts";
import { inSentence } from "./words.ts";
import { t } from "./l10n.ts";

export function useStepEditing(plan: PlanItem, tools: readonly ToolInfo[], sending: boolean): StepEditing {
  const { store } = useTools();
  const [opened, setOpened] = useState(false);
  const { ui } = store.state();
  const draft = ui.plans[plan.id] ?? noDraft;
  const keep = (next: PlanDraft, form: FormDraft | null): void => {
    const { plans, forms } = store.state().ui;
    const rest = without(forms, plan.id);
    store.setUi({ plans: { ...plans, [plan.id]: next }, forms: form ? { ...rest, [plan.id]: form } : rest });
  };
  const close = (next: PlanDraft): void => {
    keep(next, null);
    setOpened(false);
    document.querySelector<HTMLElement>(`[data-call="${CSS.escape(plan.id)}"]`)?.focus();
  };
  const schemaOf = ({ toolName }: PlanStep): ToolInfo["schema"] | undefined =>
    tools.find(({ name }) => name === toolName)?.schema;
  const step = plan.steps.find(({ toolCallId }) => toolCallId === draft.editing);
  const form = ui.forms[plan.id];
  const schema = step && schemaOf(step);
  const proposed = step && plan.params[step.toolCallId];
  return {
    draft: form ? draft : { ...draft, editing: null },
    disabled: sending,
    canEdit: (one) => schemaOf(one) !== undefined && one.toolCallId in plan.params,
    onEdit: (one) => {
      const id = one.toolCallId;
      const params = draft.changed[id] ?? plan.params[id] ?? {};
      keep({ ...draft, editing: id }, firstDraft(proposalOf(schemaOf(one) ?? {}, params)));
      setOpened(true);
    },
    onRemove: ({ toolCallId }) =>
      keep(withRemoved(draft, toolCallId), draft.editing === toolCallId ? null : (form ?? null)),
    form: step && form && schema && proposed && (
      <Form
        label={t("Change: {0}", inSentence(step))}
        proposal={proposalOf(schema, proposed)}
        marks
        draft={form}
        sending={sending}
        takesFocus={opened}
        keeps
        onChange={(next) => keep(draft, next)}
        onRun={(params) => close(withChanged(draft, step.toolCallId, params, proposed))}
        onCancel={() => close({ ...draft, editing: null })}
      />
    ),
  };
}
