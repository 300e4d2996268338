// Where a person says, if they like, why a call or a plan is rejected.
import { useLayoutEffect, useRef } from "preact/hooks";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { t } from "./l10n.ts";

export type Rejection = { readonly kind: "reject"; readonly reason?: string };

interface Props {
  /** Of what is rejected. */
  readonly id: string;
  /** The same inside a sentence: "edit src/price.js". */
  readonly what: string;
  readonly text: string;
  readonly sending: boolean;
  /** Opened just now by a person: the cursor goes in. */
  readonly takesFocus: boolean;
  readonly onReject: (rejection: Rejection) => void;
  readonly onCancel: () => void;
}

export function ReasonBox({ id, what, text, sending, takesFocus, onReject, onCancel }: Props) {
  const { store } = useTools();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) field.current?.focus();
  }, [takesFocus]);
  const reject = (): void => {
    const reason = text.trim();
    onReject(reason === "" ? { kind: "reject" } : { kind: "reject", reason });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && event.target === field.current) reject();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="reason-box" onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="text"
        value={text}
        aria-label={t("Why not {0}? Optional.", what)}
        placeholder={t("Why not? (optional)")}
        onInput={(event) => store.setUi({ reasons: { ...store.state().ui.reasons, [id]: event.currentTarget.value } })}
      />
      <Button kind="primary" title={t("Reject (Enter)")} disabled={sending} onClick={reject}>
        {t("Reject")} <kbd>⏎</kbd>
      </Button>
      <Button title={t("Do not reject (Esc)")} onClick={onCancel}>
        {t("Cancel")}
      </Button>
    </div>
  );
}
