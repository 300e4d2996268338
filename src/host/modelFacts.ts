// What endpoints have said of their models, when those were set up or first used: kept for all windows, with the day on which they said it.
import { isAtHome } from "../providers/atHome.ts";
import { storedFacts, type Discovered, type discoverModel } from "../providers/discover.ts";
import { knownModel, type ModelFacts } from "../providers/knownModels.ts";
import { originOf } from "./secrets.ts";

type Kept = ModelFacts & { readonly asked?: number };

/** Where it is kept. */
export interface FactStore {
  get(): unknown;
  set(facts: Readonly<Record<string, Kept>>): void;
}

export interface FactOptions {
  readonly store: FactStore;
  readonly now: () => number;
  /** Asks an endpoint. Never throws. */
  readonly discover: typeof discoverModel;
}

export interface KeptFacts {
  of(baseUrl: string, model: string): ModelFacts;
  keep(baseUrl: string, model: string, facts: ModelFacts): void;
  /**
   * The same; but where nobody knows the window, the model's own endpoint is asked: a server at home before the run and for
   * two seconds at the most, as it says more once the model is loaded; others once a day, beside the run, for the next one.
   */
  learn(endpoint: Discovered): Promise<ModelFacts>;
}

/** The oldest are forgotten. */
const most = 100;

/** Milliseconds that a run waits for what its server says of the model. */
const patience = 2_000;

const day = 86_400_000;

export function createFacts({ store, now, discover }: FactOptions): KeptFacts {
  const all = (): Readonly<Record<string, Kept>> => {
    const stored: Readonly<Record<string, unknown>> = Object(store.get());
    return Object.fromEntries(Object.entries(stored).map(([name, facts]) => [name, storedKept(facts)]));
  };
  const slot = (baseUrl: string, model: string): string => `${originOf(baseUrl)} ${model}`;
  const keep: KeptFacts["keep"] = (baseUrl, model, facts) => {
    const name = slot(baseUrl, model);
    const others = Object.entries(all()).filter(([other]) => other !== name);
    store.set(Object.fromEntries([...others, [name, { ...facts, asked: now() }] as const].slice(-most)));
  };
  return {
    of(baseUrl, model) {
      const { asked: _, ...facts } = all()[slot(baseUrl, model)] ?? {};
      return facts;
    },
    keep,
    async learn(endpoint) {
      const { baseUrl, model } = endpoint;
      const { asked = 0, ...known } = all()[slot(baseUrl, model)] ?? {};
      const { host, hostname } = new URL(baseUrl);
      const atHome = isAtHome(hostname);
      const window = known.window ?? knownModel(host, model).window;
      if (window !== undefined || (!atHome && now() - asked < day)) return known;
      const found = discover(endpoint, AbortSignal.timeout(patience)).then((facts) => {
        // What was found out by trying counts more.
        const both = { ...facts, ...known };
        keep(baseUrl, model, both);
        return both;
      });
      return atHome ? found : known;
    },
  };
}

function storedKept(value: unknown): Kept {
  const asked: unknown = Object(value).asked;
  return { ...storedFacts(value), ...(typeof asked === "number" && { asked }) };
}
