// A choice about how a run goes on: what was reached, in a sentence, and the ways there are.
import type { PauseChoice } from "../src/protocol/messages.ts";
import type { PauseItem } from "../src/protocol/viewTurn.ts";
import { Button, Icon } from "./icon.tsx";
import { choices } from "./pauseView.tsx";
import { t, told } from "./l10n.ts";

interface AskProps {
  readonly pause: PauseItem;
  /** The one that the keys are for. */
  readonly active: boolean;
  readonly sending: boolean;
  readonly choose: (pause: PauseItem, choice: PauseChoice) => void;
}

export function PauseAsk({ pause, active, sending, choose }: AskProps) {
  const keys = pause.choices.map((choice) => choices[choice].title).join(", ");
  return (
    <li
      class={`pending-row${active ? " active" : ""}${sending ? " sending" : ""}`}
      data-row=""
      data-call={pause.id}
      tabIndex={-1}
      aria-label={t("Paused. {0} {1}", told(pause.message), keys)}
    >
      <div class="pending-title">
        <div class="pending-name">
          <Icon name="debug-pause" class="state pending" />
          <span class="verb">{t("Paused")}</span>
        </div>
        <div class="decisions">
          {pause.choices.map((choice) => (
            <Button
              key={choice}
              inList
              kind={active && choice === pause.choices[0] ? "primary" : "secondary"}
              title={choices[choice].title}
              disabled={sending}
              onClick={() => choose(pause, choice)}
            >
              {choices[choice].words} <kbd>{choices[choice].keys}</kbd>
            </Button>
          ))}
        </div>
      </div>
      <p>{told(pause.message)}</p>
    </li>
  );
}
