// The lines that are selected in the editor: they go along with a message unless a person takes them out.
import type { SelectedLines } from "../src/protocol/suggestions.ts";
import { useTools } from "./context.ts";
import { Icon } from "./icon.tsx";

interface SelectedProps {
  readonly lines: SelectedLines;
  readonly off: boolean;
}

export function Selected({ lines: { path, from, to }, off }: SelectedProps) {
  const { store } = useTools();
  const name = `${path.slice(path.lastIndexOf("/") + 1)}:${from === to ? from : `${from}–${to}`}`;
  const state = off ? "Not sent along. Click to send it along." : "Sent along. Click to leave it out.";
  return (
    <button
      type="button"
      class={off ? "chip off" : "chip"}
      aria-pressed={!off}
      aria-label={`Selection ${name}`}
      title={`The selection in the editor, ${path}. ${state}`}
      onClick={() => store.setUi({ withoutSelection: !off })}
    >
      <span>{name}</span>
      <Icon name={off ? "eye-closed" : "eye"} />
    </button>
  );
}
