// The models that the editor itself offers, as Models: no key and no address, the editor asks the person whether they may be used.
import type { Clock, Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { Usage } from "../protocol/usage.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import { callIdsOf, newCallId } from "./callIds.ts";
import { editorFailure } from "./editorFailure.ts";
import { textsOf, toRequest, type EditorRequest } from "./editorRequest.ts";
import { isRecord } from "./wireValue.ts";

/** A piece of a reply. */
export type EditorPart =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly input: unknown };

/** One model of the editor. What it throws is what the editor throws. */
export interface EditorChat {
  readonly vendor: string;
  readonly id: string;
  readonly family: string;
  /** For people. */
  readonly name: string;
  /** Tokens that one request may have. */
  readonly maxInputTokens: number;
  /** Gives the reply as soon as the editor has taken the request; it may ask the person first, for as long as that takes. */
  send(request: EditorRequest, signal: AbortSignal): Promise<AsyncIterable<EditorPart>>;
  /** Tokens of a text, in the model's own measure. */
  count(text: string, signal: AbortSignal): Promise<number>;
}

/** Asks the editor which models it has now. */
export type EditorModels = () => Promise<readonly EditorChat[]>;

/** What a model is called in the settings: `copilot/gpt-5`. */
export function editorModelName({ vendor, id }: Pick<EditorChat, "vendor" | "id">): string {
  return `${vendor}/${id}`;
}

/**
 * Finds a model by its name; its family, with or without the vendor, is enough.
 * @throws LoopError `editor_models_missing` when there are none, `bad_setting` or `model_not_found` for this name
 */
export function findEditorModel(models: readonly EditorChat[], name: string): EditorChat {
  if (models.length === 0) throw new LoopError("editor_models_missing", "VS Code offers Brain no models.");
  const wanted = name.trim().toLowerCase();
  if (wanted === "") throw new LoopError("model_not_found", "None of VS Code’s models is chosen.");
  const forms: readonly ((model: EditorChat) => string)[] = [
    editorModelName,
    ({ id }) => id,
    ({ vendor, family }) => `${vendor}/${family}`,
    ({ family }) => family,
  ];
  for (const form of forms) {
    const found = models.find((model) => form(model).toLowerCase() === wanted);
    if (found) return found;
  }
  throw new LoopError("model_not_found", `VS Code has no model “${name.trim()}”.`);
}

export interface EditorModelOptions {
  readonly chat: EditorChat;
  readonly contextWindow: number;
  readonly clock: Clock;
}

/** Makes a Model that sends each request once; `retrying` adds the tries. */
export function editorModel(options: EditorModelOptions): Model {
  const known = new Map<string, Promise<number>>();
  const { chat, contextWindow } = options;
  return {
    id: editorModelName(chat),
    contextWindow,
    stream: (request, signal) => streamReply(request, { ...options, known, signal }),
  };
}

interface Sending extends EditorModelOptions {
  /** What was counted before, by the text's owner and length: each message is counted once. */
  readonly known: Map<string, Promise<number>>;
  readonly signal: AbortSignal;
}

async function* streamReply(request: ModelRequest, sending: Sending): AsyncGenerator<ModelEvent> {
  const { chat, signal } = sending;
  if (signal.aborted) return;
  const leaving = new AbortController();
  const input = countInput(request, sending);
  const fold = startFold(request);
  try {
    for await (const part of await chat.send(toRequest(request), AbortSignal.any([signal, leaving.signal])))
      yield* foldPart(fold, part);
    if (isAborted(signal)) return;
    const usage = await usageOf(input, fold.written, sending);
    if (usage) yield { type: "usage", usage };
    yield foldEnd(fold, chat);
  } catch (thrown) {
    if (!isAborted(signal)) yield editorFailure(thrown, { model: chat.name, now: () => sending.clock.now() });
  } finally {
    // Ends the request when the reader left early.
    leaving.abort();
  }
}

interface Fold {
  readonly ids: Set<string>;
  written: string;
  calls: number;
}

function startFold(request: ModelRequest): Fold {
  return { ids: new Set(callIdsOf(request)), written: "", calls: 0 };
}

function* foldPart(fold: Fold, part: EditorPart): Generator<ModelEvent> {
  if (part.type !== "call") {
    if (part.text === "") return;
    fold.written += part.text;
    yield part;
    return;
  }
  const id = part.id === "" || fold.ids.has(part.id) ? newCallId() : part.id;
  const call = { id, name: part.name, arguments: JSON.stringify(isRecord(part.input) ? part.input : {}) };
  fold.ids.add(id);
  fold.calls += 1;
  fold.written += call.name + call.arguments;
  yield { type: "call:start", id, name: call.name };
  yield { type: "call", call };
}

/** The editor gives no reason why a reply is over. */
function foldEnd({ calls, written }: Fold, { name }: EditorChat): ModelEvent {
  if (written !== "") return { type: "finish", reason: calls > 0 ? "calls" : "stop" };
  const failure = toFailure(new LoopError("reply_malformed", `${name} gave an empty reply.`));
  return { type: "error", failure, retryable: true };
}

/** Milliseconds after which a count that the reply would have to wait for is given up. */
const patience = 2_000;

/** The editor does not say what a request took: it is counted. Null where that fails. */
async function usageOf(
  input: Promise<number | null>,
  written: string,
  { chat, signal, clock }: Sending,
): Promise<Usage | null> {
  let cancel = (): void => undefined;
  const late = new Promise<null>((resolve) => {
    cancel = clock.after(patience, () => resolve(null));
  });
  const output = chat.count(written, signal).catch(() => null);
  const counted = await Promise.race([Promise.all([input, output]), late]);
  cancel();
  const [read, wrote] = counted ?? [null, null];
  return read === null || wrote === null ? null : { input: read, output: wrote };
}

function countInput(request: ModelRequest, { chat, known, signal }: Sending): Promise<number | null> {
  const counts = textsOf(request).map(({ owner, text }) => {
    const key = `${owner} ${text.length}`;
    const count = known.get(key) ?? chat.count(text, signal);
    known.set(key, count);
    return count;
  });
  const sum = Promise.all(counts).then((all) => all.reduce((total, count) => total + count, 0));
  return sum.catch(() => {
    known.clear();
    return null;
  });
}

/** Asked through a function, because the signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
