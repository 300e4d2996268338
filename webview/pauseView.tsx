// A pause of the run in the conversation: one quiet line with what was reached and what was chosen.
import type { PauseChoice } from "../src/protocol/messages.ts";
import type { PauseItem } from "../src/protocol/viewTurn.ts";
import { Line } from "./line.tsx";
import { t, told } from "./l10n.ts";

interface LineProps {
  readonly pause: PauseItem;
  readonly over: boolean;
}

const chosen: Record<PauseChoice, string> = {
  continue: t("You continued."),
  sumUp: t("You had it sum up and stop."),
  stop: t("You stopped it."),
};

export function PauseLine({ pause, over }: LineProps) {
  const waits = over ? t("The run ended before you chose.") : t("Waits for you.");
  return (
    <Line
      kind="pause"
      icon="debug-pause"
      class={pause.choice === null && !over ? "state pending" : "state"}
      label={t("Pause")}
    >
      <span>
        {told(pause.message)} {pause.choice === null ? waits : chosen[pause.choice]}
      </span>
    </Line>
  );
}

interface Choice {
  readonly words: string;
  readonly title: string;
  readonly keys: string;
}

export const choices: Record<PauseChoice, Choice> = {
  continue: { words: t("Continue"), title: t("Go on as before (Enter)"), keys: "⏎" },
  sumUp: { words: t("Sum up and stop"), title: t("Let it say what it has done, then stop (S)"), keys: "S" },
  stop: { words: t("Stop"), title: t("Stop at once (Backspace)"), keys: "⌫" },
};
