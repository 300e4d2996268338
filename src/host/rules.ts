// The rules that count: those of the settings, and those that a person made from waiting calls, for as long as each of them lives.
import * as z from "zod";
import { distinctRules } from "../protocol/ruleFile.ts";
import { Rule, ruleText, type RuleScope } from "../protocol/rules.ts";

/** Where rules of the workspace are kept: outside of the folder, which must not allow its own commands. */
export interface RuleMemory {
  get(): unknown;
  set(rules: readonly Rule[]): void;
}

export interface MadeRule {
  readonly rule: Rule;
  readonly scope: RuleScope;
}

export interface Rules {
  /** What counts for a run of the open session, or for all runs (null). Throws LoopError `bad_setting` when the setting cannot be read. */
  readonly forRun: (runId: string | null) => readonly Rule[];
  readonly add: (rules: readonly Rule[], scope: RuleScope, runId: string) => void;
  /** Made by a person and still alive. */
  readonly made: () => readonly MadeRule[];
  readonly remove: (made: MadeRule) => void;
}

interface RulesOptions {
  readonly settings: () => readonly Rule[];
  readonly memory: RuleMemory;
  /** Id of the open session; null: a new one without a run. */
  readonly session: () => string | null;
}

interface Bound {
  readonly rule: Rule;
  readonly scope: "run" | "session";
  /** Id of the run, or of the session. */
  readonly to: string | null;
}

export function createRules({ settings, memory, session }: RulesOptions): Rules {
  let bound: readonly Bound[] = [];
  let lastRun = "";
  const kept = (): readonly Rule[] => readKept(memory.get());
  const alive = (runId: string): readonly Bound[] => {
    lastRun = runId;
    bound = bound.filter(({ scope, to }) => scope === "session" || to === runId);
    return bound.filter(({ scope, to }) => scope === "run" || to === session());
  };
  return {
    forRun: (runId) => [...settings(), ...kept(), ...(runId === null ? [] : alive(runId)).map(({ rule }) => rule)],
    add(rules, scope, runId) {
      if (scope === "workspace") return memory.set(distinctRules([...kept(), ...rules]));
      const to = scope === "run" ? runId : session();
      bound = [...bound, ...rules.map((rule) => ({ rule, scope, to }))];
    },
    made: () => [
      ...kept().map((rule) => ({ rule, scope: "workspace" }) as const),
      ...alive(lastRun).map(({ rule, scope }) => ({ rule, scope })),
    ],
    remove({ rule, scope }) {
      const others = (other: Rule): boolean => ruleText(other) !== ruleText(rule);
      if (scope === "workspace") return memory.set(kept().filter(others));
      bound = bound.filter((one) => one.scope !== scope || others(one.rule));
    },
  };
}

/** What cannot be read allows nothing. */
function readKept(stored: unknown): readonly Rule[] {
  const list = z.array(z.unknown()).safeParse(stored).data ?? [];
  return list.flatMap((entry) => Rule.safeParse(entry).data ?? []);
}
