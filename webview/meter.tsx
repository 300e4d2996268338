// What the session has cost, and how full the window of the model is: a small ring that from some point on offers to make room.
import type { View } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { dollars, sessionCost } from "./endWords.ts";
import { number } from "./words.ts";
import { t } from "./l10n.ts";

/** Nothing where the price of a run in it is not known. */
export function Cost({ view }: { readonly view: View }) {
  const cost = sessionCost(view);
  if (cost === null) return null;
  const words = t("This session has cost {0}, by the prices that are known of its models", dollars(cost));
  return (
    <span class="meter" title={words} role="img" aria-label={`${words}.`}>
      {dollars(cost)}
    </span>
  );
}

interface MeterProps {
  readonly context: View["context"];
  readonly busy: boolean;
}

/** From here on room can be made by hand; from the second on it is scarce. */
const marks = { compact: 0.7, full: 0.8 } as const;

const radius = 5;
const around = 2 * Math.PI * radius;

export function Meter({ context, busy }: MeterProps) {
  const { store } = useTools();
  if (!context || context.window === 0) return null;
  const part = Math.min(context.tokens / context.window, 1);
  const percent = part > 0 && part < 0.01 ? "< 1" : String(Math.round(part * 100));
  const words = t("{0} of {1} tokens of the model’s window are used", number(context.tokens), number(context.window));
  const look = part > marks.full ? "meter full" : "meter";
  const label = t("Context: {0} %. {1}.", percent, words);
  const picture = (
    <>
      <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
        <circle class="meter-track" cx="7" cy="7" r={radius} />
        <circle
          class="meter-part"
          cx="7"
          cy="7"
          r={radius}
          stroke-dasharray={`${part * around} ${around}`}
          transform="rotate(-90 7 7)"
        />
      </svg>
      <span>{percent} %</span>
    </>
  );
  if (busy || part <= marks.compact)
    return (
      <span class={look} title={words} role="img" aria-label={label}>
        {picture}
      </span>
    );
  return (
    <button
      type="button"
      class={`${look} picker`}
      title={t("{0}. Compact: sum the older part up, so that there is room again.", words)}
      aria-label={t("Context: {0} % · Compact. {1}.", percent, words)}
      onClick={() => store.post({ type: "command:run", command: "compactConversation" })}
    >
      {picture} <span>· {t("Compact")}</span>
    </button>
  );
}
