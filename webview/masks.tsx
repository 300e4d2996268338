// What is masked in a result, and the way to see it: in an editor, so that the panel never has it.
import { masksOf } from "../src/protocol/view.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { t, told } from "./l10n.ts";

/** Draws nothing when nothing is masked. */
export function Masks({ call }: { readonly call: CallItem }) {
  const { store } = useTools();
  const kinds = masksOf(call);
  if (kinds.length === 0) return null;
  return (
    <p class="masks">
      <span class="tag">{t("masked: {0}", kinds.map(told).join(", "))}</span>
      <Button
        inList
        kind="link"
        title={t("Show the result as it was, in an editor: the model does not see it")}
        onClick={() => store.post({ type: "call:reveal", toolCallId: call.id })}
      >
        {t("Reveal")}
      </Button>
    </p>
  );
}
