// A pause of the run in the conversation: one quiet line with what was reached and what was chosen.
import type { PauseChoice } from "../src/protocol/messages.ts";
import type { PauseItem } from "../src/protocol/viewTurn.ts";
import { Icon } from "./icon.tsx";

interface LineProps {
  readonly pause: PauseItem;
  readonly over: boolean;
}

const chosen: Record<PauseChoice, string> = {
  continue: "You continued.",
  sumUp: "You had it sum up and stop.",
  stop: "You stopped it.",
};

export function PauseLine({ pause, over }: LineProps) {
  const waits = over ? "The run ended before you chose." : "Waits for you.";
  return (
    <div class="notice" data-row="" tabIndex={-1} role="group" aria-label="Pause">
      <Icon name="debug-pause" class={pause.choice === null && !over ? "state pending" : "state"} />
      <span>
        {pause.message} {pause.choice === null ? waits : chosen[pause.choice]}
      </span>
    </div>
  );
}

interface Choice {
  readonly words: string;
  readonly title: string;
  readonly keys: string;
}

export const choices: Record<PauseChoice, Choice> = {
  continue: { words: "Continue", title: "Go on as before (Enter)", keys: "⏎" },
  sumUp: { words: "Sum up and stop", title: "Let it say what it has done, then stop (S)", keys: "S" },
  stop: { words: "Stop", title: "Stop at once (Backspace)", keys: "⌫" },
};
