// What endpoints have said of their models when those were set up or picked, kept for all windows.
import { storedFacts } from "../providers/discover.ts";
import type { ModelFacts } from "../providers/knownModels.ts";
import { originOf } from "./secrets.ts";

/** Where it is kept. */
export interface FactStore {
  get(): unknown;
  set(facts: Readonly<Record<string, ModelFacts>>): void;
}

export interface KeptFacts {
  of(baseUrl: string, model: string): ModelFacts;
  keep(baseUrl: string, model: string, facts: ModelFacts): void;
}

/** The oldest are forgotten. */
const most = 100;

export function createFacts(store: FactStore): KeptFacts {
  const all = (): Readonly<Record<string, ModelFacts>> => {
    const stored = Object(store.get());
    return Object.fromEntries(Object.entries(stored).map(([name, facts]) => [name, storedFacts(facts)]));
  };
  const slot = (baseUrl: string, model: string): string => `${originOf(baseUrl)} ${model}`;
  return {
    of: (baseUrl, model) => all()[slot(baseUrl, model)] ?? {},
    keep(baseUrl, model, facts) {
      const name = slot(baseUrl, model);
      const others = Object.entries(all()).filter(([other]) => other !== name);
      store.set(Object.fromEntries([...others, [name, facts] as const].slice(-most)));
    },
  };
}
