// A proposed change place by place: each can be taken or refused here, as in the editor.
import type { ReviewedHunk } from "../src/protocol/calls.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { useTools } from "./context.ts";
import { DiffLines, fileName, type DiffLine } from "./diff.tsx";
import { Button, Icon, IconButton } from "./icon.tsx";
import { count } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly call: CallItem;
  readonly sending: boolean;
}

/** Nothing for a change of one place that nobody has touched: then the buttons of the call say it all. */
export function hasHunks({ review }: CallItem): boolean {
  return review !== null && (review.typed || review.count > 1);
}

export function HunkList({ call, sending }: Props) {
  const { hunks, count: all } = call.review ?? { hunks: [], count: 0 };
  return (
    <>
      <ol class="hunks" aria-label={count("{0} hunk of the change", "{0} hunks of the change", all)}>
        {hunks.map((hunk, index) => (
          <Hunk
            key={hunk.id}
            call={call}
            hunk={hunk}
            name={t("{0} of {1}", index + 1, all)}
            file={hunk.file === hunks[index - 1]?.file ? undefined : hunk.file}
            sending={sending}
          />
        ))}
      </ol>
      <Moved call={call} />
      {all > hunks.length && (
        <p class="quiet">
          {count("{0} more hunk: Review shows them all.", "{0} more hunks: Review shows them all.", all - hunks.length)}
        </p>
      )}
    </>
  );
}

/** Files of which no text is changed. */
function Moved({ call: { preview } }: Pick<Props, "call">) {
  const files = preview?.kind === "diffs" ? preview.files.filter(({ patch }) => patch === "") : [];
  return files.map((file) => (
    <p key={file.path} class="diff-file">
      {fileName(file)}
    </p>
  ));
}

interface HunkProps extends Props {
  readonly hunk: ReviewedHunk;
  readonly name: string;
  /** Said once, above the first hunk in it. */
  readonly file: string | undefined;
}

const states = { open: "", accepted: t("accepted"), rejected: t("refused") };

function Hunk({ call, hunk, name, file, sending }: HunkProps) {
  const { store } = useTools();
  const { id, state, more, comment } = hunk;
  const decide = (next: ReviewedHunk["state"]) => () =>
    store.post({ type: "hunk:decide", toolCallId: call.id, hunkId: id, state: next });
  return (
    <li
      class={`hunk ${state}`}
      aria-label={state === "open" ? t("Hunk {0}", name) : t("Hunk {0}, {1}", name, states[state])}
    >
      {file !== undefined && <p class="diff-file">{file}</p>}
      <div class="hunk-title">
        <span class="hunk-name">{name}</span>
        {state === "open" ? (
          <>
            <IconButton
              name="check"
              label={t("Accept hunk {0}", name)}
              disabled={sending}
              onClick={decide("accepted")}
            />
            <IconButton
              name="close"
              label={t("Reject hunk {0}", name)}
              disabled={sending}
              onClick={decide("rejected")}
            />
          </>
        ) : (
          <>
            <span class="hunk-state">
              <Icon name={state === "accepted" ? "check" : "close"} /> {states[state]}
            </span>
            <IconButton name="discard" label={t("Decide again about hunk {0}", name)} onClick={decide("open")} />
          </>
        )}
      </div>
      {state !== "rejected" && <DiffLines lines={linesOf(hunk)} />}
      {more > 0 && <p class="quiet">{count("{0} more line", "{0} more lines", more)}</p>}
      {comment !== undefined && comment !== "" && <p class="reason">{t("“{0}”", comment)}</p>}
    </li>
  );
}

function linesOf({ lines, at }: ReviewedHunk): readonly DiffLine[] {
  let line = at;
  return lines.map((text) => {
    const kind = text.startsWith("+") ? "added" : text.startsWith("-") ? "removed" : "same";
    const number = kind === "added" ? "" : String(line);
    if (kind !== "added") line += 1;
    return { kind, text: text.slice(1), at: number };
  });
}

/** Opens the change in an editor, where it can be written into. */
export function ReviewButton({ call }: Pick<Props, "call">) {
  const { store } = useTools();
  return (
    <Button
      inList
      kind="link"
      title={t("Review it in an editor, hunk by hunk (V)")}
      onClick={() => store.post({ type: "call:review", toolCallId: call.id })}
    >
      {t("Review")} <kbd>V</kbd>
    </Button>
  );
}
