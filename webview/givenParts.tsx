// What goes along with the message that is being written: a chip for each image and PDF, and what could not be taken.
import type { SentPart } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Icon, IconButton } from "./icon.tsx";
import { isKept } from "./ui.ts";
import type { Ui } from "./ui.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly ui: Ui;
}

export function GivenParts({ ui: { parts, partsProblem, draft } }: Props) {
  const { store } = useTools();
  const remove = (gone: SentPart): void => {
    store.setUi({ parts: parts.filter((part) => part !== gone), partsProblem: "" });
    focusComposer();
  };
  return (
    <>
      {parts.length > 0 && (
        <ul class="given" aria-label={t("Sent with the message")}>
          {parts.map((part, index) => (
            <li key={`${index}-${part.name}`} class="chip" title={part.name}>
              {part.thumbnail ? <img src={part.thumbnail} alt="" /> : <Icon name="attach" />}
              <span>{part.name}</span>
              <IconButton name="close" label={t("Remove {0}", part.name)} stop onClick={() => remove(part)} />
            </li>
          ))}
        </ul>
      )}
      <div class="hint" role="status">
        {[partsProblem, ...hints(parts, draft)].filter((words) => words !== "").join(" ")}
      </div>
    </>
  );
}

function hints(parts: readonly SentPart[], draft: string): readonly string[] {
  if (parts.length === 0) return [];
  const large = parts.filter((part) => !isKept(part)).map(({ name }) => `“${name}”`);
  return [
    draft.trim() === "" ? t("Write what to do with it.") : "",
    large.length === 0
      ? ""
      : t("{0}: too large to be kept if the panel is closed before you send it.", large.join(", ")),
  ];
}
