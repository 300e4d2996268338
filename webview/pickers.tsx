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
  const picker = (command: "selectAgent" | "selectModel", name: string, title: string) => (
    <button type="button" class="picker" title={title} onClick={() => store.post({ type: "command:run", command })}>
      <span class="picker-name">{name}</span>
      <Icon name="chevron-down" />
    </button>
  );
  return (
    <div class="pickers">
      {picker("selectAgent", setup.agent, t("Agent: {0}. Click to choose another.", setup.agent))}
      {picker("selectModel", model, t("Model: {0} at {1}. Click to choose another.", model, setup.provider))}
      {setup.scripted && (
        <span class="tag" title={t("This model follows a script; its tools and edits are real")}>
          {t("scripted")}
        </span>
      )}
    </div>
  );
}
