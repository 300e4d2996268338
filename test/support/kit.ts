// What engine tests stand on: a fake clock, counted ids, a scripted model, tools made of functions, sessions in memory.
import type { AgentDefinition } from "../../src/protocol/agents.ts";
import { loopDefaults, type AgentLoopConfig } from "../../src/protocol/config.ts";
import { LoopError } from "../../src/protocol/errors.ts";
import type { LoopEvent } from "../../src/protocol/events.ts";
import type { Entry, Params } from "../../src/protocol/messages.ts";
import type {
  Approve,
  CallContext,
  Clock,
  Effect,
  Model,
  ModelEvent,
  ModelRequest,
  Ports,
  Prepared,
  Refusal,
  Tool,
  ToolResult,
} from "../../src/engine/ports.ts";
import pLimit from "p-limit";
import { createBudget } from "../../src/engine/budget.ts";
import type { Running } from "../../src/engine/running.ts";
import { createSteering } from "../../src/engine/steering.ts";
import { createDeadline } from "../../src/engine/timers.ts";
import { validateJson } from "../../src/tools/jsonSchema.ts";
import { startRun, type Outcome, type RunRequest } from "../../src/engine/run.ts";

export interface FakeClock extends Clock {
  /** Moves time forward, timer by timer, letting promises settle in between. */
  advance(milliseconds: number): Promise<void>;
}

/** A clock that stands still until it is moved. */
export function fakeClock(start = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  let now = start;
  let timers: { at: number; callback: () => void }[] = [];
  // A whole turn of the event loop: every promise that can settle without time has settled after it.
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(milliseconds) {
      const end = now + milliseconds;
      await settle();
      for (;;) {
        const next = timers.toSorted((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        now = Math.max(now, next.at);
        timers = timers.filter((other) => other !== next);
        next.callback();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

/** `id-1`, `id-2`, … */
export function countedIds(prefix = "id"): () => string {
  let count = 0;
  return () => `${prefix}-${++count}`;
}

/** One scripted reply: events, or a function of the request that makes them. */
export type Script =
  readonly ModelEvent[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
}

/** Plays its scripts in order, one a request; a request beyond the last is an error. */
export function scriptedModel(...scripts: readonly Script[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: "scripted",
    contextWindow: loopDefaults.contextWindow,
    requests,
    async *stream(request, signal) {
      const script = scripts[requests.length];
      requests.push(structuredClone(request));
      if (!script) throw new Error(`the script has no reply number ${requests.length}`);
      if (typeof script === "function") yield* script(request, signal);
      else yield* script;
    },
  };
}

/** The events of a reply in words. */
export function says(text: string): ModelEvent[] {
  return [
    { type: "text", text },
    { type: "usage", usage: { input: 10, output: 2 } },
    { type: "finish", reason: "stop" },
  ];
}

/** The events of a reply with calls: `[id, tool, parameters]`. */
export function calls(...list: readonly (readonly [string, string, Params | string])[]): ModelEvent[] {
  const events: ModelEvent[] = [];
  for (const [id, name, params] of list) {
    const text = typeof params === "string" ? params : JSON.stringify(params);
    events.push({ type: "call:start", id, name }, { type: "call", call: { id, name, arguments: text } });
  }
  return [...events, { type: "usage", usage: { input: 10, output: 5 } }, { type: "finish", reason: "calls" }];
}

interface ToolOptions {
  readonly effect?: Effect;
  readonly touches?: (params: Params) => Partial<ReturnType<Tool["touches"]>>;
  readonly prepare?: (params: Params) => Refusal | null;
  readonly timeout?: number;
  readonly run?: Prepared["run"] extends (context: infer C) => unknown
    ? (context: C, params: Params) => Promise<ToolResult> | ToolResult
    : never;
}

/** The `path` of some parameters, as text. */
export function pathOf({ path }: Params): string {
  return typeof path === "string" ? path : "";
}

/** A tool made of a function; without one it answers "<name> done". */
export function tool(name: string, options: ToolOptions = {}): Tool {
  const label = (params: Params) => ({ verb: name, subject: pathOf(params) });
  return {
    name,
    description: `${name} for tests`,
    parameters: { type: "object", properties: { path: { type: "string" } } },
    effect: options.effect ?? "read",
    label,
    touches: (params) => ({ reads: [], writes: [], runs: options.effect === "run", ...options.touches?.(params) }),
    prepare(params) {
      const refusal = options.prepare?.(params);
      if (refusal) return Promise.resolve(refusal);
      return Promise.resolve({
        kind: "prepared",
        params,
        label: label(params),
        ...(options.timeout !== undefined && { timeout: options.timeout }),
        run: async (context) =>
          (await options.run?.(context, params)) ?? { status: "succeeded", content: `${name} done` },
      });
    },
  };
}

export const coder: AgentDefinition = { id: "coder", name: "coder", identity: "You are a test agent.", source: null };

export interface Kit {
  readonly clock: FakeClock;
  readonly ports: Ports;
  readonly events: LoopEvent[];
  /** The transcript as it would be on disk. */
  readonly lines: Entry[];
  readonly locked: () => boolean;
  readonly run: (request?: Partial<RunRequest>) => Promise<Outcome>;
  readonly start: (request?: Partial<RunRequest>) => ReturnType<typeof startRun>;
}

interface KitOptions {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  readonly approve?: Approve;
  readonly config?: Partial<AgentLoopConfig>;
  readonly ports?: Partial<Ports>;
  readonly history?: readonly Entry[];
  /** What differs of the agent, and other agents by name. */
  readonly agent?: Partial<AgentDefinition>;
  readonly agents?: Readonly<Record<string, Partial<AgentDefinition>>>;
  readonly append?: (entries: readonly Entry[]) => Promise<void>;
}

export const approveAll: Approve = () => Promise.resolve({ decision: { kind: "approve" }, by: "person" });

/** A whole engine in memory. */
export function kit(options: KitOptions): Kit {
  const clock = fakeClock();
  const events: LoopEvent[] = [];
  const lines: Entry[] = [...(options.history ?? [])];
  let locked = false;
  const ports: Ports = {
    model: () => Promise.resolve(options.model),
    tools: () => Promise.resolve(options.tools ?? []),
    approve: options.approve ?? approveAll,
    sessions: {
      open(id) {
        if (locked) return Promise.reject(new LoopError("session_busy", "Busy."));
        locked = true;
        return Promise.resolve({
          id,
          history: [...lines],
          earlier: () => Promise.resolve([]),
          repairs: [],
          async append(entries) {
            await options.append?.(entries);
            lines.push(...entries);
          },
          release() {
            locked = false;
            return Promise.resolve();
          },
        });
      },
    },
    memory: { read: () => Promise.resolve("") },
    agents: {
      resolve(name): Promise<AgentDefinition> {
        const own = options.agents?.[name ?? ""];
        if (name !== undefined && name !== coder.id && !own)
          return Promise.reject(new LoopError("agent_not_found", `There is no agent “${name}”.`));
        const named = name === undefined ? {} : { id: name, name };
        return Promise.resolve({ ...coder, ...(own ? { ...named, ...own } : options.agent) });
      },
    },
    clock,
    ids: countedIds(),
    validate: validateJson,
    project: () => Promise.resolve("A test project."),
    log: () => undefined,
    ...options.ports,
  };
  const start: Kit["start"] = (request = {}) =>
    startRun({ message: "Do it.", ...request }, ports, { ...loopDefaults, ...options.config }, (event) => {
      events.push(event);
    });
  return { clock, ports, events, lines, locked: () => locked, start, run: (request) => start(request).result };
}

/** What the parts of one run share, for tests of a part. */
export function running(options: Partial<Running>): Running {
  const model = options.model ?? scriptedModel();
  const ports = options.ports ?? kit({ model }).ports;
  return {
    runId: "run",
    sessionId: "session",
    signal: new AbortController().signal,
    ports,
    agent: coder,
    config: loopDefaults,
    emit: () => undefined,
    deadline: createDeadline(ports.clock, 1e9, () => undefined),
    budget: createBudget({
      limits: { rounds: 0, tokens: 0, cost: 0, time: 0 },
      price: undefined,
      moreTime: () => undefined,
    }),
    steering: createSteering(),
    limit: pLimit(8),
    model,
    tools: [],
    state: [],
    record: () => Promise.resolve(),
    unwritten: () => undefined,
    narrowing: [],
    depth: 1,
    delegate: () => Promise.resolve({ status: "failed", content: "no delegates here" }),
    stop: () => undefined,
    ...options,
  };
}

/** What a tool is given when it is run by itself. */
export function callContext(signal: AbortSignal, output: (chunk: string) => void = () => undefined): CallContext {
  const delegate = (): Promise<ToolResult> => Promise.resolve({ status: "failed", content: "no delegates here" });
  const enter = (): Promise<null> => Promise.resolve(null);
  const reach: CallContext["reach"] = () => Promise.resolve({ kind: "refused", why: "nobody is here" });
  const names = { sessionId: "session", toolCallId: "call" };
  return { ...names, signal, output, fields: {}, data: [], scopes: null, enter, reach, delegate };
}

/** The events of some types, in order. */
export function ofType<T extends LoopEvent["type"]>(
  events: readonly LoopEvent[],
  ...types: T[]
): Extract<LoopEvent, { type: T }>[] {
  const wanted: readonly string[] = types;
  return events.filter((event): event is Extract<LoopEvent, { type: T }> => wanted.includes(event.type));
}
