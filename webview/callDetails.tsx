// Everything about one call: what a person decided, its arguments, what it did or would do, what came of it.
import type { ComponentChildren } from "preact";
import type { Params } from "../src/protocol/messages.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { Arriving } from "./arriving.tsx";
import { Clamped } from "./clamped.tsx";
import { useTools } from "./context.ts";
import { wordsOf } from "./formModel.ts";
import { IconButton } from "./icon.tsx";
import { Masks } from "./masks.tsx";
import { Preview } from "./preview.tsx";
import { CallChanges } from "./undo.tsx";
import { t } from "./l10n.ts";

interface CallProps {
  readonly id: string;
  readonly call: CallItem;
}

interface Props extends CallProps {
  /** The calls under it, drawn; null when it has none. */
  readonly parts: ComponentChildren | null;
  readonly runId: string;
}

/** Lines of a delegate's task that are shown above its calls. */
const taskLines = 3;

export function CallDetails({ id, call, parts, runId }: Props) {
  const { preview, params, decided } = call;
  const changed = decided?.decision.kind === "modify" ? decided.decision.params : null;
  return (
    <div class="details" id={id}>
      {changed && <p class="quiet">{t("You changed {0}.", changedNames(params ?? {}, changed))}</p>}
      <Arriving call={call} />
      {preview && preview.kind !== "text" && <Preview id={id} preview={preview} />}
      {!saysAll(preview) && params && (
        <Arguments id={id} params={changed ?? params} diff={preview !== null} delegate={parts === null ? null : call} />
      )}
      {parts}
      <Changed runId={runId} call={call} />
      <Result id={id} call={call} />
    </div>
  );
}

/** Nothing of its arguments is left to say. */
function saysAll(preview: CallItem["preview"]): boolean {
  return preview?.kind === "command" || preview?.kind === "todos";
}

function Changed({ runId, call }: { readonly runId: string; readonly call: CallItem }) {
  return call.changes && <CallChanges runId={runId} call={call} />;
}

/** What the model read of it; while it runs, what it has printed so far. */
function Result({ id, call }: CallProps) {
  const { store } = useTools();
  const finished = call.result !== "";
  const text = finished ? call.result : call.output;
  if (text === "" && !isCommandAtWork(call))
    return call.state === "succeeded" ? <p class="quiet">{t("Nothing was returned.")}</p> : null;
  return (
    <section>
      <h3>
        {finished ? t("Result") : t("Output")}
        <IconButton
          name="copy"
          label={finished ? t("Copy the result") : t("Copy the output")}
          onClick={() => store.post({ type: "text:copy", text })}
        />
        {call.preview?.kind === "command" && <CommandButtons call={call} />}
      </h3>
      <Masks call={call} />
      {text !== "" && <Clamped id={`${id}-result`} text={text} end={finished ? "first" : "last"} />}
    </section>
  );
}

function isCommandAtWork({ state, preview }: CallItem): boolean {
  return state === "running" && preview?.kind === "command";
}

function CommandButtons({ call: { id: toolCallId, state } }: Pick<CallProps, "call">) {
  const { store } = useTools();
  return (
    <>
      <IconButton
        name="terminal"
        label={t("Show in Terminal")}
        onClick={() => store.post({ type: "call:terminal", toolCallId })}
      />
      {state === "running" && (
        <IconButton
          name="debug-step-out"
          label={t("Go on without it: leave it running in the background")}
          onClick={() => store.post({ type: "call:release", toolCallId })}
        />
      )}
    </>
  );
}

interface ArgumentsProps {
  readonly id: string;
  readonly params: Params;
  /** The change itself is shown already: only short arguments are worth showing again. */
  readonly diff: boolean;
  /** The call itself, where it has calls under it: then its task is kept short. */
  readonly delegate: CallItem | null;
}

function Arguments({ id, params, diff, delegate }: ArgumentsProps) {
  const shown = Object.entries(params)
    .map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value, null, 2)] as const)
    .filter(([, text]) => text !== delegate?.label.subject && !(diff && text.includes("\n")));
  if (shown.length === 0) return null;
  return (
    <dl class="arguments">
      {shown.map(([key, text]) => (
        <div class={text.includes("\n") ? "argument long" : "argument"} key={key}>
          <dt>{wordsOf(key)}</dt>
          <dd>
            {text.includes("\n") ? (
              <Clamped id={`${id}-${key}`} text={text} end="first" lines={delegate ? taskLines : undefined} />
            ) : (
              text
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function changedNames(before: Params, after: Params): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const names = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  return names.length === 0 ? t("the call") : names.map((key) => wordsOf(key).toLowerCase()).join(", ");
}
