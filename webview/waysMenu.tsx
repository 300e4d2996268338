// The menu of the ways in which a message can go while a run is on.
import type { SubmitHow } from "../src/protocol/wire.ts";
import { isMac } from "./keys.ts";
import { t } from "./l10n.ts";
import { Menu } from "./menu.tsx";

interface Way {
  readonly how: SubmitHow;
  readonly words: string;
  readonly about: string;
  readonly keys: string;
}

/** The ways in which a message can go while a run is on; the first is what Enter does. */
function ways(): readonly Way[] {
  return [
    { how: "queue", words: t("Queue"), about: t("sent when this run has ended"), keys: t("Enter") },
    {
      how: "steer",
      words: t("Send now"),
      about: t("read before its next step"),
      keys: isMac() ? "⌘Enter" : t("Ctrl+Enter"),
    },
    { how: "interrupt", words: t("Stop and send"), about: t("ends this run"), keys: "" },
  ];
}

interface Props {
  readonly onChoose: (how: SubmitHow) => void;
  readonly onClose: () => void;
}

export function WaysMenu({ onChoose, onClose }: Props) {
  const items = ways().map(({ how, ...way }) => ({ ...way, key: how, onChoose: () => onChoose(how) }));
  return <Menu label={t("How to send it")} items={items} onClose={onClose} />;
}
