// How a run ended: its time and tokens, and what a person can do next where it did not simply finish.
import type { Turn } from "../src/protocol/viewTurn.ts";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { ending, nextStep, unanswered, usageWords } from "./endWords.ts";
import { t } from "./l10n.ts";
import { UndoRun } from "./undo.tsx";

interface Props {
  readonly turn: Turn;
  /** Only the newest turn offers to go on. */
  readonly last: boolean;
}

export function TurnEnd({ turn, last }: Props) {
  const { store } = useTools();
  const { end, items, failure, runId } = turn;
  if (!end) return null;
  const next = failure ? "" : nextStep(end.status, unanswered(items));
  return (
    <>
      <div class={`end ${end.status}`}>
        <span title={usageWords(end)}>{ending(end)}</span>
        {last && next !== "" && (
          <Button
            row
            kind={end.status === "completed_with_errors" ? "secondary" : "primary"}
            title={next}
            onClick={() => store.submit(t("Continue."))}
          >
            {t("Continue")}
          </Button>
        )}
        <button
          type="button"
          class="button link"
          data-row=""
          data-trace={runId}
          tabIndex={-1}
          title={t("When each request and call of this run was at work, and what it took")}
          onClick={() => store.setUi({ trace: runId })}
        >
          {t("Timeline")}
        </button>
        <UndoRun turn={turn} />
      </div>
      {last && next !== "" && <p class="end-next">{next}</p>}
    </>
  );
}
