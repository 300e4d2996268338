// Which agent and which model read the message, to be chosen.
import type { Setup } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly setup: Setup;
}

export function Pickers({ setup }: Props) {
  const { store } = useTools();
  const model = setup.model === "" ? t("Select model") : setup.model;
  return (
    <div class="pickers">
      <button
        type="button"
        class="picker"
        title={t("Agent: {0}. Click to choose another.", setup.agent)}
        onClick={() => store.post({ type: "command:run", command: "selectAgent" })}
      >
        <span class="picker-name">{setup.agent}</span>
        <Icon name="chevron-down" />
      </button>
      <button
        type="button"
        class="picker"
        title={t("Model: {0} at {1}. Click to choose another.", model, setup.provider)}
        onClick={() => store.post({ type: "command:run", command: "selectModel" })}
      >
        <span class="picker-name">{model}</span>
        <Icon name="chevron-down" />
      </button>
      {setup.scripted && (
        <span class="tag" title={t("This model follows a script; its tools and edits are real")}>
          {t("scripted")}
        </span>
      )}
    </div>
  );
}
