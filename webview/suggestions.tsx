// The list over the composer of what could be meant by `@…` or `/…`; the cursor stays in the field.
import { useLayoutEffect } from "preact/hooks";
import type { Suggestion } from "../src/protocol/suggestions.ts";
import { Icon } from "./icon.tsx";

interface Props {
  readonly id: string;
  readonly found: readonly Suggestion[];
  /** The one that Enter takes. */
  readonly active: number;
  readonly onPoint: (index: number) => void;
  readonly onTake: (suggestion: Suggestion) => void;
}

export function Suggestions({ id, found, active, onPoint, onTake }: Props) {
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <ul class="suggestions" id={id} role="listbox" aria-label="Suggestions">
      {found.map((one, index) => (
        <li
          key={`${one.label} ${one.detail}`}
          id={`${id}-${index}`}
          class={index === active ? "suggestion active" : "suggestion"}
          role="option"
          aria-selected={index === active}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(one)}
          onPointerMove={() => onPoint(index)}
        >
          <Icon name={one.icon} />
          <span class="suggestion-label">{one.label}</span>
          <span class="suggestion-detail">{one.detail}</span>
        </li>
      ))}
    </ul>
  );
}
