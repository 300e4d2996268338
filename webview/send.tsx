// Sending, when nothing runs.
import { useTools } from "./context.ts";
import { Icon } from "./icon.tsx";

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
      title={hint ?? "Send (Enter)"}
      aria-label="Send"
      onClick={() => store.submit(store.state().ui.draft)}
    >
      <Icon name="send" />
    </button>
  );
}
