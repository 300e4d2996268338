// What a call would do: a change as a diff, a command behind its prompt, or plain text.
import type { FileDiff, Preview as PreviewData } from "../src/protocol/calls.ts";
import { Diff, fileName } from "./diff.tsx";
import { Clamped } from "./clamped.tsx";
import { addedAndRemoved } from "./counts.tsx";
import { TodoList } from "./todos.tsx";
import { t, told } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly preview: PreviewData;
}

function FileChange({ id, file }: { readonly id: string; readonly file: FileDiff }) {
  const { path, patch } = file;
  const label = t("Change of {0}: {1}", path, addedAndRemoved(file));
  return <Diff id={id} patch={patch} label={label} />;
}

export function Preview({ id, preview }: Props) {
  switch (preview.kind) {
    case "diff":
      return <FileChange id={id} file={preview} />;
    case "diffs":
      return (
        <>
          {preview.files.map((file) => (
            <section key={file.path} aria-label={fileName(file)}>
              <p class="diff-file">{fileName(file)}</p>
              {(file.to === undefined || file.patch !== "") && <FileChange id={`${id}-${file.path}`} file={file} />}
            </section>
          ))}
        </>
      );
    case "command":
      return (
        <div class="command">
          <span class="command-prompt" aria-hidden="true">
            $
          </span>
          <code>{preview.command}</code>
          {preview.cwd !== "" && preview.cwd !== "." && <span class="command-folder">{t("in {0}", preview.cwd)}</span>}
          {preview.confined !== undefined && (
            <span
              class={preview.confined ? "command-walls" : "command-walls outside"}
              title={preview.unconfined && told(preview.unconfined.why)}
            >
              {preview.confined ? t("in the sandbox") : t("outside the sandbox")}
            </span>
          )}
        </div>
      );
    case "host":
      // The row says it already.
      return null;
    case "todos":
      return <TodoList todos={preview.todos} />;
    case "request":
    case "text":
      return <Clamped id={`preview-${id}`} text={preview.text} end="first" />;
  }
}
