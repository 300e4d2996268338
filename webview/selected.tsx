// The lines that are selected in the editor: they go along with a message unless a person takes them out.
import type { SelectedLines } from "../src/protocol/suggestions.ts";
import { useTools } from "./context.ts";
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface SelectedProps {
  readonly lines: SelectedLines;
  readonly off: boolean;
}

export function Selected({ lines: { path, from, to }, off }: SelectedProps) {
  const { store } = useTools();
  const name = `${path.slice(path.lastIndexOf("/") + 1)}:${from === to ? from : `${from}–${to}`}`;
  const state = off ? t("Not sent along. Click to send it along.") : t("Sent along. Click to leave it out.");
  return (
    <button
      type="button"
      class={off ? "chip off" : "chip"}
      aria-pressed={!off}
      aria-label={t("Selection {0}", name)}
      title={t("The selection in the editor, {0}. {1}", path, state)}
      onClick={() => store.setUi({ withoutSelection: !off })}
    >
      <span>{name}</span>
      <Icon name={off ? "eye-closed" : "eye"} />
    </button>
  );
}
