// Commands that run in the background, above the composer, each with its end one press away.
import type { BackgroundInfo } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { Icon, IconButton } from "./icon.tsx";
import { moveByKey } from "./moving.ts";
import { rememberRow } from "./roving.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly commands: readonly BackgroundInfo[];
}

export function Background({ commands }: Props) {
  const { store } = useTools();
  if (commands.length === 0) return null;
  return (
    <section class="queue" aria-label={t("Commands in the background")}>
      <ul
        onKeyDown={(event) => moveByKey(event, event.currentTarget)}
        onFocusIn={(event) => rememberRow(event, event.currentTarget)}
      >
        {commands.map(({ id, command }, index) => (
          <li
            class="queue-row"
            key={id}
            data-row=""
            tabIndex={index === 0 ? 0 : -1}
            aria-label={t("Runs in the background: {0}", command)}
          >
            <Icon name="terminal" class="state" />
            <span class="queue-text" title={command}>
              {command.trim().split("\n", 1)}
            </span>
            <span class="queue-state">{t("in the background")}</span>
            <IconButton
              name="debug-stop"
              label={t("Stop this command")}
              onClick={() => store.post({ type: "command:stop", id })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
