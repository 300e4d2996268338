// A run as the work of one call: another agent with a clean context, inside the limits, the rights and the abort of its caller (DIGEST 1.16).
import type { AgentDefinition } from "../protocol/agents.ts";
import { maxDepth } from "../protocol/config.ts";
import { toFailure } from "../protocol/errors.ts";
import type { Entry, UserEntry } from "../protocol/messages.ts";
import { renamedDecision, renamedSteps } from "../protocol/planIds.ts";
import { nestedId } from "../protocol/replay.ts";
import { meansTool } from "../protocol/rules.ts";
import { createBudget } from "./budget.ts";
import { rulesFor } from "./context.ts";
import { dataOf, renderData } from "./data.ts";
import { execute, type ExecuteOutput } from "./execute.ts";
import { limitsOf, narrowed } from "./limits.ts";
import { nestedEmit } from "./nested.ts";
import { formOf, outputTool } from "./output.ts";
import type { DelegateRequest, Model, Ports, PromptRequest, Tool, ToolResult } from "./ports.ts";
import { systemPrompt } from "./prompt.ts";
import { timestamp, type Caller, type Running } from "./running.ts";
import type { DataMessage } from "./state.ts";
import { createSteering } from "./steering.ts";
import { createDeadline, type Deadline } from "./timers.ts";
import { endOfRun, tracedAgent } from "./traced.ts";

/** Has its task and what it is shown, and nothing else (LOOP-DEL-2). */
const anonymous: AgentDefinition = {
  id: "anonymous",
  name: "anonymous",
  identity: "You do one task for another agent, and answer with its result. You cannot ask back.",
  source: null,
};

/** Runs an agent for a call. Its result is the call's (LOOP-DEL-3). Never rejects. */
export async function delegate(
  request: DelegateRequest | PromptRequest,
  caller: Caller,
  parent: Running,
): Promise<ToolResult> {
  if (parent.depth >= maxDepth)
    return failed(`It was not delegated: agents may be nested ${maxDepth} deep. Do the task yourself.`);
  try {
    if ("prompt" in request) return await prompted(request, caller, parent);
    const agent = request.agent === null ? anonymous : await parent.ports.agents.resolve(request.agent);
    return await inside(request, agent, caller, parent);
  } catch (error) {
    const { message, details = [] } = toFailure(error);
    return failed([message, ...details].join("\n"));
  }
}

/** Runs a prompt with what its file says, and nothing else. */
async function prompted(
  { prompt: agent, messages, tools, asked }: PromptRequest,
  caller: Caller,
  parent: Running,
): Promise<ToolResult> {
  const late = new AbortController();
  const { run, deadline } = await childOf(agent, { ...caller, late, data: [], tools }, parent);
  try {
    const about = { id: run.ports.ids(), runId: run.runId, timestamp: timestamp(run.ports) };
    await run.record({ role: "user", content: asked, ...about, agent: agent.name });
    const start = { systemPrompt: agent.identity, entries: messages, earlier: nothingEarlier };
    const renew = (): Promise<string> => Promise.resolve(agent.identity);
    return await worked({ ...start, tokenEstimate: 0, anchor: null, renew }, run);
  } finally {
    run.span?.end();
    deadline.clear();
  }
}

async function worked(start: Parameters<typeof execute>[0], run: Running): Promise<ToolResult> {
  const output = await execute(start, run);
  run.span?.end(endOfRun(output));
  return resultOf(output, run.agent);
}

const nothingEarlier = (): Promise<readonly never[]> => Promise.resolve([]);

async function inside(
  { task, data }: DelegateRequest,
  agent: AgentDefinition,
  caller: Caller,
  parent: Running,
): Promise<ToolResult> {
  const late = new AbortController();
  const { run, deadline } = await childOf(agent, { ...caller, late, data }, parent);
  const { ports, config } = run;
  try {
    const [project, { text: rules }] = await Promise.all([ports.project(), rulesFor(run.model, ports)]);
    const date = timestamp(ports).slice(0, "YYYY-MM-DD".length);
    const own = renderData(dataOf(agent.context));
    const { contextWindow: window } = run.model;
    const prompt = systemPrompt({
      agent,
      tools: run.tools,
      project,
      rules,
      memory: "",
      data: own,
      date,
      config,
      window,
    });
    const content = [task, ...renderData(data)].join("\n\n");
    const { runId } = run;
    const message: UserEntry = { role: "user", content, timestamp: timestamp(ports), id: ports.ids(), runId };
    await run.record({ ...message, agent: agent.name });
    const start = { systemPrompt: prompt, entries: [message], earlier: nothingEarlier, tokenEstimate: 0, anchor: null };
    const renew = (): Promise<string> => Promise.resolve(prompt);
    return await worked({ ...start, renew }, run);
  } finally {
    run.span?.end();
    deadline.clear();
  }
}

interface Child extends Caller {
  readonly late: AbortController;
  readonly data: readonly DataMessage[];
  /** Its own; absent: those of its caller that it may use. */
  readonly tools?: readonly Tool[];
}

async function childOf(
  agent: AgentDefinition,
  { toolCallId, context, late, data, tools: own }: Child,
  parent: Running,
): Promise<{ run: Running; deadline: Deadline }> {
  const ports = portsWithin(toolCallId, parent.ports);
  const config = narrowed(parent.config, agent);
  const model = agent === anonymous ? parent.model : await modelFor(agent, parent);
  const expire = (): void => late.abort("timeout");
  const deadline = together(createDeadline(ports.clock, config.executionTimeout, expire), parent.deadline);
  // Never a tool that the caller does not have itself (LOOP-DEL-4).
  const usable = parent.tools.filter(({ name }) => agent.tools?.some((named) => meansTool(named, name)) ?? true);
  const { scope } = agent;
  const tools = own ?? (scope ? usable.map((tool) => tool.narrowed?.(scope) ?? tool) : usable);
  const { price } = model;
  const run: Running = {
    ...parent,
    ports,
    agent,
    config,
    model,
    deadline,
    signal: AbortSignal.any([context.signal, late.signal]),
    emit: nestedEmit(toolCallId, parent.emit, context.output),
    budget: createBudget({ limits: limitsOf(config), price, moreTime: () => undefined, parent: parent.budget }),
    steering: createSteering(),
    tools:
      agent.output && !agent.bare && !formOf(agent, model)
        ? [...tools, outputTool(agent.output, ports.validate)]
        : tools,
    state: [...dataOf(agent.context), ...data],
    record: (entry, options) => parent.record(withinCall(toolCallId, entry), options),
    unwritten: (requests) => parent.unwritten(requests.map((request) => withinCall(toolCallId, request))),
    narrowing: [...parent.narrowing, agent.approvals ?? []],
    depth: parent.depth + 1,
    span: parent.span?.begin(tracedAgent(agent, parent.sessionId)),
  };
  return { run, deadline };
}

/** A person may be asked about its endpoint: no clock runs while they answer (C-35). */
async function modelFor(agent: AgentDefinition, { ports, deadline }: Running): Promise<Model> {
  deadline.pause();
  try {
    return await ports.model(agent);
  } finally {
    deadline.resume();
  }
}

function withinCall<T extends Pick<Entry, "within">>(toolCallId: string, inner: T): T {
  return { ...inner, within: inner.within === undefined ? toolCallId : nestedId(toolCallId, inner.within) };
}

/** What is asked of a person, and what is kept, names the call by what it is known by outside. */
function portsWithin(toolCallId: string, ports: Ports): Ports {
  const { approve, approvePlan, enter, snapshots } = ports;
  return {
    ...ports,
    ...(snapshots && {
      snapshots: {
        before: (call, signal) =>
          snapshots.before({ ...call, toolCallId: nestedId(toolCallId, call.toolCallId) }, signal),
      },
    }),
    approve: (call, signal) => approve({ ...call, toolCallId: nestedId(toolCallId, call.toolCallId) }, signal),
    ...(enter && {
      enter: (question, signal) =>
        enter({ ...question, toolCallId: nestedId(toolCallId, question.toolCallId) }, signal),
    }),
    ...(approvePlan && {
      approvePlan: async (plan, signal) => {
        const outer = (id: string): string => nestedId(toolCallId, id);
        const inner = new Map(plan.steps.map((step) => [outer(step.toolCallId), step.toolCallId]));
        const steps = renamedSteps(plan.steps, outer);
        const { decision, by } = await approvePlan({ ...plan, steps }, signal);
        return { decision: renamedDecision(decision, (id) => inner.get(id) ?? id), by };
      },
    }),
  };
}

/** While a person is asked about a delegate's call, the time of its caller stands still too. */
function together(own: Deadline, parent: Deadline): Deadline {
  return {
    ...own,
    pause() {
      own.pause();
      parent.pause();
    },
    resume() {
      own.resume();
      parent.resume();
    },
  };
}

function resultOf(
  { status, response, value, failure, errors = [] }: ExecuteOutput,
  { name }: AgentDefinition,
): ToolResult {
  if (status === "completed" || status === "completed_with_errors") {
    const wrong = errors.map(({ call, error }) => `${String(call["_tool"])} ${error.type}: ${error.message}`);
    const content = [response, ...wrong].join("\n");
    return { status: "succeeded", content, value: value === undefined ? response : value };
  }
  const why = failure?.message ?? endings[status] ?? `It ended as ${status}.`;
  const content = [`${name} did not finish. ${why}`, response].filter((part) => part !== "").join("\n\n");
  return { ...failed(content), ...(status === "timeout" && { error: "timeout" }) };
}

const endings: Readonly<Partial<Record<ExecuteOutput["status"], string>>> = {
  max_iterations: "It has used all of its rounds.",
  timeout: "Its time was up.",
  aborted: "It was stopped.",
  stalled: "It gave neither calls nor the output that was asked for.",
  refusal: "The model refused.",
};

function failed(content: string): ToolResult {
  return { status: "failed", content };
}
