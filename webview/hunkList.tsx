// A proposed change place by place: each can be taken or refused here, as in the editor.
import type { ReviewedHunk } from "../src/protocol/calls.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { fileTitle } from "../src/protocol/view.ts";
import { useTools } from "./context.ts";
import { DiffLines, type DiffLine } from "./diff.tsx";
import { Button, Icon, IconButton } from "./icon.tsx";
import { count } from "./words.ts";

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
      <ol class="hunks" aria-label={`${count(all, "hunk")} of the change`}>
        {hunks.map((hunk, index) => (
          <Hunk
            key={hunk.id}
            call={call}
            hunk={hunk}
            name={`${index + 1} of ${all}`}
            file={hunk.file === hunks[index - 1]?.file ? undefined : hunk.file}
            sending={sending}
          />
        ))}
      </ol>
      <Moved call={call} />
      {all > hunks.length && <p class="quiet">{count(all - hunks.length, "more hunk")}: Review shows them all.</p>}
    </>
  );
}

/** Files of which no text is changed. */
function Moved({ call: { preview } }: Pick<Props, "call">) {
  const files = preview?.kind === "diffs" ? preview.files.filter(({ patch }) => patch === "") : [];
  return files.map((file) => (
    <p key={file.path} class="diff-file">
      {fileTitle(file)}
    </p>
  ));
}

interface HunkProps extends Props {
  readonly hunk: ReviewedHunk;
  readonly name: string;
  /** Said once, above the first hunk in it. */
  readonly file: string | undefined;
}

const states = { open: "", accepted: "accepted", rejected: "refused" } as const;

function Hunk({ call, hunk, name, file, sending }: HunkProps) {
  const { store } = useTools();
  const { id, state, more, comment } = hunk;
  const decide = (next: ReviewedHunk["state"]) => () =>
    store.post({ type: "hunk:decide", toolCallId: call.id, hunkId: id, state: next });
  return (
    <li class={`hunk ${state}`} aria-label={`Hunk ${name}${state === "open" ? "" : `, ${states[state]}`}`}>
      {file !== undefined && <p class="diff-file">{file}</p>}
      <div class="hunk-title">
        <span class="hunk-name">{name}</span>
        {state === "open" ? (
          <>
            <IconButton name="check" label={`Accept hunk ${name}`} disabled={sending} onClick={decide("accepted")} />
            <IconButton name="close" label={`Reject hunk ${name}`} disabled={sending} onClick={decide("rejected")} />
          </>
        ) : (
          <>
            <span class="hunk-state">
              <Icon name={state === "accepted" ? "check" : "close"} /> {states[state]}
            </span>
            <IconButton name="discard" label={`Decide again about hunk ${name}`} onClick={decide("open")} />
          </>
        )}
      </div>
      {state !== "rejected" && <DiffLines lines={linesOf(hunk)} />}
      {more > 0 && <p class="quiet">{count(more, "more line")}</p>}
      {comment !== undefined && comment !== "" && <p class="reason">“{comment}”</p>}
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
      title="Review it in an editor, hunk by hunk (V)"
      onClick={() => store.post({ type: "call:review", toolCallId: call.id })}
    >
      Review <kbd>V</kbd>
    </Button>
  );
}
