// An error: what happened, what to do, and the button that does it.
import type { FailureData } from "../src/protocol/events.ts";
import type { ToHost } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { Button, Icon } from "./icon.tsx";
import { actionWords } from "./endWords.ts";
import { t, told } from "./l10n.ts";

interface Props {
  readonly failure: FailureData;
  /** Sends the same again; null where there is nothing to send. */
  readonly onRetry: (() => void) | null;
  /** Still the latest word: what it asks for is offered as a button. */
  readonly latest: boolean;
}

type Command = Extract<ToHost, { type: "command:run" }>["command"];

const commands: Readonly<Record<string, Command>> = {
  setKey: "setApiKey",
  openSettings: "openSettings",
  selectModel: "selectModel",
  setUpModel: "setUpModel",
  openFolder: "openFolder",
  trust: "trust",
  openAgent: "openAgent",
};

export function FailureView({ failure, onRetry, latest }: Props) {
  const { store } = useTools();
  const words = actionWords(failure);
  const command = commands[failure.action ?? ""];
  const act = command ? () => store.post({ type: "command:run", command }) : onRetry;
  return (
    <div class="failure" data-row="" tabIndex={-1} role="group" aria-label={t("Error")}>
      <Icon name="error" />
      <div class="failure-body">
        <p class="failure-message">{told(failure.message)}</p>
        {failure.details && failure.details.length > 0 && (
          <ul>
            {failure.details.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        )}
        <p>{told(failure.next)}</p>
        {latest && words !== null && act && (
          <Button inList kind="primary" title={told(failure.next)} onClick={act}>
            {words}
          </Button>
        )}
      </div>
    </div>
  );
}
