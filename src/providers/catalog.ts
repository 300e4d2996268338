// The Model that the settings name.
import type { Clock, Model, Price } from "../engine/ports.ts";
import { loopDefaults, modelIdleTimeout, modelThinkTimeout, type ProviderName } from "../protocol/config.ts";
import { addressOf } from "../protocol/settings.ts";
import type { ReplyOptions } from "../protocol/replyOptions.ts";
import { LoopError } from "../protocol/errors.ts";
import { anthropic } from "./anthropic.ts";
import { isAtHome, patientFetch } from "./atHome.ts";
import { editorModel, type EditorChat } from "./editorModel.ts";
import { lessonsOf, type LessonBook } from "./lessons.ts";
import { openaiChat } from "./openaiChat.ts";
import { openaiResponses } from "./openaiResponses.ts";
import { withoutRefused } from "./refusedOptions.ts";
import { retrying } from "./retrying.ts";
import { thinkingInText } from "./thinkingInText.ts";
import { yielding } from "./yielding.ts";

export interface ModelOptions {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  /** `""` when there is none. */
  readonly apiKey: string;
  readonly model: string;
  readonly contextWindow: number;
  readonly price?: Price;
  /** It is known to think. */
  readonly thinking?: boolean;
  /** What is asked of its replies. */
  readonly reply?: ReplyOptions;
  /** Sends requests; absent: the global one. */
  readonly fetch?: typeof fetch;
  readonly clock: Clock;
  /** What models have refused before; absent: nothing is known, and nothing kept. */
  readonly lessons?: LessonBook;
  /** Where `startDemo` serves; needed for the provider `demo`. */
  readonly demoUrl?: string;
  /** The editor's model; needed for the provider `vscode`. */
  readonly editorChat?: EditorChat;
}

const makers = { "openai-chat": openaiChat, "openai-responses": openaiResponses, anthropic, demo: openaiChat };

type WireOptions = ModelOptions & { readonly provider: keyof typeof makers };

/** Hosts that answer nobody without a key. */
const closed: ReadonlySet<string> = new Set(["api.openai.com", "api.anthropic.com"]);

/**
 * Makes the Model, with retries.
 * @throws LoopError `bad_setting` or `key_missing`, with a sentence on what to set
 */
export function createModel(options: ModelOptions): Model {
  const { clock } = options;
  const { maxRetries, retryBackoff } = loopDefaults;
  return retrying(modelOnce(options), { clock, maxRetries, retryBackoff, random: Math.random });
}

/** The same without retries. */
export function modelOnce(options: ModelOptions): Model {
  const made = isOnWire(options) ? wireModel(options) : ofEditor(options);
  return options.price ? { ...made, price: options.price } : made;
}

function isOnWire(options: ModelOptions): options is WireOptions {
  return options.provider !== "vscode";
}

function wireModel(options: WireOptions): Model {
  const { clock, contextWindow, provider, reply } = options;
  const endpoint = endpointOf(options);
  const patient = isAtHome(new URL(endpoint.baseUrl).hostname);
  // The global one by its name at each request: an editor may have put its own in its place, for proxies.
  const send = options.fetch ?? (patient ? patientFetch : (input, init) => fetch(input, init));
  const learnt = lessonsOf(options.lessons ?? new Map(), [provider, endpoint.baseUrl, endpoint.model]);
  const thinks = mayThink(options);
  const fetching = withoutRefused(send, learnt);
  const asked = { ...endpoint, contextWindow, ...(reply && { reply }), thinks, learnt, fetch: fetching };
  const thinkTimeout = thinks ? modelThinkTimeout : modelIdleTimeout;
  const silence = { idleTimeout: modelIdleTimeout, thinkTimeout, patient };
  return thinkingInText(yielding(makers[provider]({ ...asked, ...silence, clock })));
}

/** Most models that think show nothing of it, and some endpoints send not even a ping meanwhile. */
function mayThink({ thinking = false, reply: { effort = "default" } = {} }: ModelOptions): boolean {
  return effort === "default" ? thinking : effort !== "none";
}

function ofEditor({ editorChat: chat, contextWindow, clock }: ModelOptions): Model {
  if (!chat) throw new LoopError("editor_models_missing", "Only inside VS Code its models can be used.");
  return editorModel({ chat, contextWindow, clock });
}

function endpointOf(options: ModelOptions): { baseUrl: string; apiKey: string; model: string } {
  if (options.provider === "demo") {
    if (options.demoUrl === undefined) throw new LoopError("internal", "The demo model is not running.");
    return { baseUrl: options.demoUrl, apiKey: "", model: "demo" };
  }
  const { apiKey, model } = options;
  const baseUrl = addressOf(options.provider, options.baseUrl);
  const host = hostOf(baseUrl);
  if (model.trim() === "")
    throw new LoopError("bad_setting", `No model is chosen for ${host}: set “brain.model” to a name that it knows.`);
  if (closed.has(host) && apiKey === "")
    throw new LoopError("key_missing", `${host} needs a key: set one with “Brain: Set API Key”.`);
  return { baseUrl, apiKey, model };
}

function hostOf(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return url.host;
  throw new LoopError(
    "bad_setting",
    `“${baseUrl}” is not the address of an endpoint: set “brain.baseUrl” to one that starts with https:// or http://.`,
  );
}
