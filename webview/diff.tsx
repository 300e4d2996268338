// A unified diff, drawn: line numbers, signs and colours.
import type { FileDiff } from "../src/protocol/calls.ts";
import { fileTitle } from "../src/protocol/view.ts";
import { useFold } from "./context.ts";
import { More } from "./icon.tsx";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

/** A changed file: "a.ts → b.ts", "a.ts (deleted)". */
export function fileName(file: Pick<FileDiff, "path" | "to" | "deleted">): string {
  return file.deleted ? t("{0} (deleted)", file.path) : fileTitle(file);
}

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
  /** Line number in the new file, in the old one for a removed line; empty for a gap. */
  readonly at: string;
}

/** Reads the body of a unified diff of one file; headers are left out, a gap stands between two hunks. */
function readPatch(patch: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  for (const text of patch.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (lines.length > 0) lines.push({ kind: "gap", text: "", at: "" });
    } else if (before + after > 0 && /^[ +-]/.test(text)) {
      const sign = text[0];
      const kind = sign === "+" ? "added" : sign === "-" ? "removed" : "same";
      lines.push({ kind, text: text.slice(1), at: String(kind === "removed" ? before : after) });
      if (kind !== "added") before += 1;
      if (kind !== "removed") after += 1;
    }
  }
  return lines;
}

const signs = { same: " ", added: "+", removed: "−", gap: "⋯" };
/** Lines shown until a person asks for the rest. */
const firstLines = 24;

interface DiffProps {
  readonly id: string;
  readonly patch: string;
  readonly label: string;
}

export function Diff({ id, patch, label }: DiffProps) {
  const lines = readPatch(patch);
  const [whole, show] = useFold(`diff-${id}`, false);
  const shown = whole || lines.length <= firstLines + 4 ? lines : lines.slice(0, firstLines);
  if (lines.length === 0) return <p class="quiet">{t("The file stays as it is.")}</p>;
  return (
    <div class="diff" role="figure" aria-label={label}>
      <Lines lines={shown} />
      {shown.length < lines.length && (
        <More title={t("Show the whole change")} onClick={show}>
          {count("Show all {0} line", "Show all {0} lines", lines.length)}
        </More>
      )}
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly DiffLine[];
}

/** Lines of a diff without a frame of their own words. */
export function DiffLines({ lines }: LinesProps) {
  return (
    <div class="diff">
      <Lines lines={lines} />
    </div>
  );
}

function Lines({ lines }: LinesProps) {
  return (
    <>
      {lines.map((line, index) => (
        <div class={`diff-line ${line.kind}`} key={index}>
          <span class="diff-number">{line.at}</span>
          <span class="diff-sign">{signs[line.kind]}</span>
          <span class="diff-text">{line.text}</span>
        </div>
      ))}
    </>
  );
}
