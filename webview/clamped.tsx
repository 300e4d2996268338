// A long monospaced text, shortened to its first or last lines until a person asks for all of it.
import { stripAnsi } from "./ansi.ts";
import { useFold } from "./context.ts";
import { More } from "./icon.tsx";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly text: string;
  /** Which end is shown first. */
  readonly end: "first" | "last";
  readonly lines?: number | undefined;
}

export function Clamped({ id, text, end, lines: most = 12 }: Props) {
  const lines = stripAnsi(text).trimEnd().split("\n");
  const [whole, show] = useFold(`text-${id}`, false);
  const short = lines.length > most + 3 && !whole;
  const part = end === "first" ? lines.slice(0, most) : lines.slice(-most);
  const more = short && (
    <More title={t("Show the whole text")} onClick={show}>
      {count("Show all {0} line", "Show all {0} lines", lines.length)}
    </More>
  );
  return (
    <div class="block">
      {end === "last" && more}
      <pre>{(short ? part : lines).join("\n")}</pre>
      {end === "first" && more}
    </div>
  );
}
