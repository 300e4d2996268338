// What the session has cost, and how full the window of the model is: a small ring that opens into what fills it.
import { useRef, useState } from "preact/hooks";
import type { View } from "../src/protocol/view.ts";
import { dollars, sessionCost } from "./endWords.ts";
import { useMore } from "./context.ts";
import { t } from "./l10n.ts";
import { number } from "./words.ts";

/** Nothing where the price of a run in it is not known. */
export function Cost({ view }: { readonly view: View }) {
  const cost = sessionCost(view);
  if (cost === null) return null;
  const words = t(
    "This session has cost {0}, by what its endpoints say or the known prices of its models",
    dollars(cost),
  );
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

/** From here on room is scarce. */
const full = 0.8;

const radius = 5;
const around = 2 * Math.PI * radius;

export function Meter({ context, busy }: MeterProps) {
  const [isOpen, setOpen] = useState(false);
  const more = useMore(isOpen);
  const button = useRef<HTMLButtonElement>(null);
  if (!context || context.window === 0) return null;
  const part = Math.min(context.tokens / context.window, 1);
  const percent = part > 0 && part < 0.01 ? "< 1" : String(Math.round(part * 100));
  const words = t(
    "About {0} of {1} tokens of the model’s window are used",
    number(context.tokens),
    number(context.window),
  );
  const close = (back: boolean): void => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`meter picker${part > full ? " full" : ""}`}
        title={t("{0}. Click to see by what.", words)}
        aria-label={t("Context: {0} %. {1}.", percent, words)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Ring part={part} />
        <span>{percent} %</span>
      </button>
      {isOpen && more && <more.MeterDetails context={context} busy={busy} onClose={close} />}
    </>
  );
}

function Ring({ part }: { readonly part: number }) {
  return (
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
  );
}
