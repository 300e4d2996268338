// “Always allow”: the exact rule in words and as text, how long it lives, and what it would have allowed before.
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RuleOffer } from "../src/protocol/events.ts";
import type { RuleScope } from "../src/protocol/rules.ts";
import { Cancel } from "./form.tsx";
import { Button } from "./icon.tsx";
import { count } from "./words.ts";
import { t, told } from "./l10n.ts";

interface Props {
  readonly offers: readonly RuleOffer[];
  /** Of what is allowed, inside a sentence: "run npm test". */
  readonly what: string;
  readonly sending: boolean;
  readonly onAllow: (offer: number, scope: RuleScope) => void;
  readonly onCancel: () => void;
}

/** So many earlier calls are shown at once. */
const few = 5;

const scopes: readonly (readonly [RuleScope, string])[] = [
  ["run", t("For this run")],
  ["session", t("In this session")],
  ["workspace", t("In this workspace")],
];

/** Opened by a person, so that the first offer takes the focus. */
export function AllowPart({ offers, what, sending, onAllow, onCancel }: Props) {
  const name = useId();
  const box = useRef<HTMLFieldSetElement>(null);
  const [offer, setOffer] = useState(0);
  const [scope, setScope] = useState<RuleScope>("session");
  useLayoutEffect(() => box.current?.querySelector("input")?.focus(), []);
  const onKeyDown = (event: KeyboardEvent): void => {
    const pressed = event.target instanceof HTMLButtonElement;
    if (event.key === "Escape") onCancel();
    else if (event.key === "Enter" && !pressed && !event.repeat && !sending) onAllow(offer, scope);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <fieldset ref={box} class="allow" aria-label={t("Always allow: {0}", what)} onKeyDown={onKeyDown}>
      {offers.map(({ words, text }, index) => (
        <label key={text} class="allow-offer">
          <input type="radio" name={name} checked={index === offer} onChange={() => setOffer(index)} />
          <span>
            {told(words)} <code class="allow-rule">{text}</code>
          </span>
        </label>
      ))}
      <Matches offer={offers[offer]} />
      <div class="form-buttons">
        <select
          aria-label={t("How long it counts")}
          value={scope}
          onChange={(event) => setScope(scopes[event.currentTarget.selectedIndex]?.[0] ?? scope)}
        >
          {scopes.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <Button
          kind="primary"
          title={t("Make the rule and approve (Enter)")}
          disabled={sending}
          onClick={() => onAllow(offer, scope)}
        >
          {t("Allow")} <kbd>⏎</kbd>
        </Button>
        <Cancel title={t("Make no rule (Esc)")} onClick={onCancel} />
      </div>
    </fieldset>
  );
}

function Matches({ offer }: { readonly offer: RuleOffer | undefined }) {
  const matches = offer?.matches ?? [];
  if (matches.length === 0) return <p class="quiet">{t("It fits no other call of this session so far.")}</p>;
  return (
    <details open={matches.length <= few}>
      <summary class="quiet">
        {count(
          "Would have allowed {0} call of this session",
          "Would have allowed {0} calls of this session",
          matches.length,
        )}
      </summary>
      <ul class="allow-matches">
        {matches.map((match) => (
          <li key={match}>{match}</li>
        ))}
      </ul>
    </details>
  );
}
