// The list over the composer of what could be meant by `@…` or `/…`; the cursor stays in the field.
import { useLayoutEffect } from "preact/hooks";
import { Icon } from "./icon.tsx";
import type { Suggesting } from "./suggesting.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly offers: Suggesting;
}

export function Suggestions({ id, offers }: Props) {
  const { found, active } = offers;
  useLayoutEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <ul class="offers" id={id} role="listbox" aria-label={t("Suggestions")}>
      {found.map((one, index) => (
        <li
          key={`${one.label} ${one.detail}`}
          id={`${id}-${index}`}
          class={index === active ? "offer active" : "offer"}
          role="option"
          aria-selected={index === active}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => offers.take(one)}
          onPointerMove={() => offers.point(index)}
        >
          <Icon name={one.icon} />
          <span class="offer-label">{one.label}</span>
          <span class="offer-detail">{one.detail}</span>
        </li>
      ))}
    </ul>
  );
}
