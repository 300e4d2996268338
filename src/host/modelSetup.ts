// Setting up a model: from the kind of endpoint to one that has answered. What is asked in which order; how it is asked is the interface's.
import { loopDefaults, type ProviderName } from "../protocol/config.ts";
import { toFailure, type ErrorAction, type ErrorCode, type Failure } from "../protocol/errors.ts";
import type { Clock } from "../engine/ports.ts";
import { discoverModel } from "../providers/discover.ts";
import { editorModelName, findEditorModel, type EditorModels } from "../providers/editorModel.ts";
import { knownModel, type ModelFacts } from "../providers/knownModels.ts";
import { listModels, noDeployments } from "../providers/listModels.ts";
import type { Preset } from "../providers/presets.ts";
import { tryModel, type Trial } from "../providers/tryModel.ts";
import type { Keys } from "./secrets.ts";

/** How a person goes on after something went wrong. */
export type Way = "key" | "address" | "model" | "again" | "anyway";

/** A model as it can be picked. */
export interface Offer {
  readonly name: string;
  readonly detail: string;
}

/** How the person is asked. Each gives undefined when they left. */
export interface SetupUi {
  choosePreset(): Promise<Preset | undefined>;
  /** @param given what stands there at first */
  enterAddress(preset: Preset, given: string): Promise<string | undefined>;
  /** `""` keeps the key that there is. @param problem why it is asked; `""`: because it is needed */
  enterKey(preset: Preset, baseUrl: string, problem: string): Promise<string | undefined>;
  /** A name of the list, or another. @param problem why there is no list; `""`: there is */
  chooseModel(preset: Preset, offers: readonly Offer[], problem: string): Promise<string | undefined>;
  /** Shows that something goes on, and lets the person end it. */
  during<T>(what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
  failed(failure: Failure, ways: readonly Way[]): Promise<Way | undefined>;
}

export interface SetupParts {
  readonly ui: SetupUi;
  readonly keys: Pick<Keys, "get" | "set">;
  readonly editorModels: EditorModels;
  readonly clock: Clock;
}

/** A model that a person has set up. */
export interface SetUp {
  readonly provider: ProviderName;
  /** `""` where there is none. */
  readonly baseUrl: string;
  readonly model: string;
  /** What its endpoint says of it. */
  readonly facts: ModelFacts;
  /** It has answered; false: the person uses it all the same. */
  readonly answered: boolean;
}

/** What is known so far, and what is asked next. */
interface Draft {
  readonly preset: Preset;
  readonly baseUrl: string;
  /** `""`: the one that is kept already, if there is one. */
  readonly key: string;
  readonly model: string;
  readonly next: "address" | "key" | "model" | "try" | "end";
  /** Why it is asked again. */
  readonly problem: string;
  /** The endpoint is not asked for its models. */
  readonly unlisted: boolean;
  /** Of the end. */
  readonly made: SetUp | null;
}

type StepOf = (draft: Draft, parts: SetupParts) => Promise<Draft>;

/**
 * Asks until a model has answered, or the person has had enough. The key is kept then; no setting is written.
 * @returns null when they left
 */
export async function setUpModel(parts: SetupParts): Promise<SetUp | null> {
  const preset = await parts.ui.choosePreset();
  if (!preset) return null;
  const next = preset.asksAddress ? "address" : afterAddress(preset);
  const nothing = { key: "", model: "", problem: "", unlisted: false, made: null };
  let draft: Draft = { ...nothing, preset, baseUrl: preset.baseUrl, next };
  while (draft.next !== "end") draft = await steps[draft.next](draft, parts);
  return draft.made;
}

const steps: Readonly<Record<Exclude<Draft["next"], "end">, StepOf>> = {
  async address(draft, { ui }) {
    const { preset } = draft;
    const baseUrl = await ui.enterAddress(preset, draft.baseUrl);
    return baseUrl === undefined ? leave(draft) : { ...draft, baseUrl, problem: "", next: afterAddress(preset) };
  },
  async key(draft, { ui }) {
    const key = await ui.enterKey(draft.preset, draft.baseUrl, draft.problem);
    return key === undefined
      ? leave(draft)
      : { ...draft, key, problem: "", next: draft.model === "" ? "model" : "try" };
  },
  model: askModel,
  try: tryIt,
};

function afterAddress({ key }: Preset): "key" | "model" {
  return key === "needed" ? "key" : "model";
}

function leave(draft: Draft): Draft {
  return { ...draft, next: "end", made: null };
}

async function askModel(draft: Draft, parts: SetupParts): Promise<Draft> {
  const { preset, problem, unlisted } = draft;
  const listed = unlisted
    ? { offers: [], baseUrl: draft.baseUrl }
    : await parts.ui.during(`Asking ${placeOf(draft)} for its models`, async (signal) =>
        listedBy(draft, parts, signal).catch(toFailure),
      );
  if (!listed) return leave(draft);
  if ("code" in listed)
    return listed.action === "setKey" ? { ...draft, next: "key", problem: listed.message } : goOn(draft, listed, parts);
  const { baseUrl, offers } = listed;
  const isMute = preset.modelWord !== undefined && offers.length === 0;
  const model = await parts.ui.chooseModel(preset, offers, isMute && problem === "" ? noDeployments : problem);
  return model === undefined ? leave(draft) : { ...draft, baseUrl, model, problem: "", next: "try" };
}

interface Listed {
  /** Where the list was. */
  readonly baseUrl: string;
  readonly offers: readonly Offer[];
}

/** Of a bare address the usual path is tried, too. */
async function listedBy(draft: Draft, parts: SetupParts, signal: AbortSignal): Promise<Listed> {
  const { baseUrl, preset } = draft;
  const asked = offersOf(draft, parts, signal);
  if (!preset.asksAddress || new URL(baseUrl).pathname !== "/") return { baseUrl, offers: await asked };
  const below = `${baseUrl}/v1`;
  try {
    return { baseUrl, offers: await asked };
  } catch (error) {
    if (toFailure(error).code !== "endpoint_unreachable") throw error;
    const offers = await offersOf({ ...draft, baseUrl: below }, parts, signal).catch(() => null);
    if (!offers) throw error;
    return { baseUrl: below, offers };
  }
}

async function offersOf(draft: Draft, parts: SetupParts, signal: AbortSignal): Promise<readonly Offer[]> {
  const { preset, baseUrl } = draft;
  if (preset.provider === "vscode") {
    const models = await parts.editorModels();
    if (models.length === 0) findEditorModel(models, "");
    return models.map((model) => ({ name: editorModelName(model), detail: `${model.name}, ${model.family}` }));
  }
  const apiKey = await keyOf(draft, parts);
  const names = await listModels({ provider: preset.provider, baseUrl, apiKey }, signal);
  const { host } = new URL(baseUrl);
  return names.map((name) => ({ name, detail: factWords(knownModel(host, name)) }));
}

async function tryIt(draft: Draft, parts: SetupParts): Promise<Draft> {
  const trial = await parts.ui.during(`Asking ${draft.model} for one word`, async (signal) =>
    trialOf(draft, parts, signal).catch((error: unknown): Trial => ({ kind: "failed", failure: toFailure(error) })),
  );
  if (!trial) return leave(draft);
  if (trial.kind === "failed") return goOn(draft, trial.failure, parts);
  const facts = await factsOf(draft, parts);
  return done(draft, parts, { facts: trial.tools ? facts : { ...facts, tools: false }, answered: true });
}

async function trialOf(draft: Draft, parts: SetupParts, signal: AbortSignal): Promise<Trial> {
  const { baseUrl, model, preset } = draft;
  const { clock } = parts;
  const common = { provider: preset.provider, baseUrl, model, clock, contextWindow: loopDefaults.contextWindow };
  const editorChat = preset.provider === "vscode" ? findEditorModel(await parts.editorModels(), model) : null;
  return tryModel({ ...common, apiKey: await keyOf(draft, parts), ...(editorChat && { editorChat }) }, signal);
}

/** The model has been loaded by then: only now a local server knows its window. */
async function factsOf(draft: Draft, parts: SetupParts): Promise<ModelFacts> {
  const { preset, baseUrl, model } = draft;
  if (preset.provider === "vscode" || preset.provider === "anthropic") return {};
  if (knownModel(new URL(baseUrl).host, model).window !== undefined) return {};
  const apiKey = await keyOf(draft, parts);
  const what = `Asking ${placeOf(draft)} about ${model}`;
  return (await parts.ui.during(what, async (signal) => discoverModel({ baseUrl, apiKey, model }, signal))) ?? {};
}

async function goOn(draft: Draft, failure: Failure, parts: SetupParts): Promise<Draft> {
  const way = await parts.ui.failed(failure, waysFor(failure, draft));
  switch (way) {
    case undefined:
      return leave(draft);
    case "anyway":
      return done(draft, parts, { facts: {}, answered: false });
    case "again":
      return { ...draft, next: draft.model === "" ? "model" : "try" };
    case "model":
      return { ...draft, next: "model", problem: failure.message, unlisted: draft.model === "" };
    case "key":
    case "address":
      return { ...draft, next: way, problem: failure.message, unlisted: false };
  }
}

const wayOf: Partial<Record<ErrorAction, Way>> = {
  setKey: "key",
  selectModel: "model",
  openSettings: "address",
  retry: "again",
};

/** Where the address may be the reason, it can be changed. */
const ofAddress: ReadonlySet<ErrorCode> = new Set(["model_not_found", "endpoint_unreachable", "reply_malformed"]);

/** The one that most likely helps is the first. */
function waysFor({ action, code }: Failure, { preset, model }: Draft): readonly Way[] {
  const best = (action && wayOf[action]) ?? "again";
  const ways: readonly Way[] = [
    ...(best === "address" ? [] : [best]),
    ...(preset.asksAddress && ofAddress.has(code) ? (["address"] as const) : []),
    ...(best === "address" ? (["again"] as const) : []),
    model === "" ? "model" : "anyway",
  ];
  return [...new Set(ways)];
}

async function done(draft: Draft, { keys }: SetupParts, more: Pick<SetUp, "facts" | "answered">): Promise<Draft> {
  const { preset, baseUrl, key, model } = draft;
  if (key !== "") await keys.set(baseUrl, key);
  return { ...draft, next: "end", made: { provider: preset.provider, baseUrl, model, ...more } };
}

async function keyOf({ preset, baseUrl, key }: Draft, { keys }: SetupParts): Promise<string> {
  return key === "" && preset.provider !== "vscode" ? keys.get(baseUrl) : key;
}

function placeOf({ preset, baseUrl }: Draft): string {
  return baseUrl === "" ? preset.label : new URL(baseUrl).host;
}

/** "1,000,000 tokens · $2 in, $10 out"; `""` where nothing is known. */
export function factWords({ window, price }: ModelFacts): string {
  const size = window === undefined ? [] : [`${window.toLocaleString("en")} tokens`];
  const cost = price ? [`$${price.input} in, $${price.output} out for a million`] : [];
  return [...size, ...cost].join(" · ");
}
