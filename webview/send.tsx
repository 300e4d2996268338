// Sending, when nothing runs.
import { useTools } from "./context.ts";
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface SendProps {
  readonly disabled: boolean;
  readonly hint: string | null;
}

export function Send({ disabled, hint }: SendProps) {
  const { store } = useTools();
  return (
    <button
      type="button"
      class="send"
      disabled={disabled}
      title={hint ?? t("Send (Enter)")}
      aria-label={t("Send")}
      onClick={() => store.submit(store.state().ui.draft)}
    >
      <Icon name="send" />
    </button>
  );
}
