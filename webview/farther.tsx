// Buttons that lead to what is farther away in the conversation: to what came before, and to its end.
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface EarlierProps {
  readonly onMore: () => void;
}

export function Earlier({ onMore }: EarlierProps) {
  return (
    <button
      type="button"
      class="more earlier"
      data-row=""
      tabIndex={-1}
      title={t("Show the messages before these")}
      onClick={onMore}
    >
      {t("Show earlier messages")}
    </button>
  );
}

interface JumpProps {
  readonly toEnd: () => void;
}

export function Jump({ toEnd }: JumpProps) {
  return (
    <button type="button" class="jump" title={t("Jump to the latest")} onClick={toEnd}>
      <Icon name="arrow-down" /> {t("Jump to latest")}
    </button>
  );
}
