// The loop of the Prompty specification: a scripted model, handlers that give what the case says, and what invokeAgent made of it.
import assert from "node:assert/strict";
import * as z from "zod";
import type { PromptMessage } from "../../src/agents/promptyMessages.ts";
import { startAgent, AgentError, type AgentOutcome, type AgentRun, type InvokeOptions } from "../../src/invoke.ts";
import type { InvokeTools } from "../../src/invokeParts.ts";
import type { LoopEvent } from "../../src/protocol/events.ts";
import type { Params } from "../../src/protocol/messages.ts";
import type { ModelRequest } from "../../src/engine/ports.ts";
import { around, replyOf, says, scripted } from "./agentModel.ts";

const Values = z.record(z.string(), z.unknown());
const Denial = z.object({ action: z.string().optional(), reason: z.string() });
const Message = z.object({ role: z.string(), content: z.unknown().optional(), metadata: Values.optional() });
const Input = z.object({
  messages: z.array(Message),
  parent_inputs: Values.default({}),
  tools: z.array(Values).default([]),
  tool_functions: z.record(z.string(), z.string()).default({}),
  parallel_tool_calls: z.boolean().default(false),
  max_iterations: z.number().optional(),
  context_budget: z.number().optional(),
  cancel: z.object({ cancelled_at: z.string() }).optional(),
  guardrails: z
    .object({
      input: Denial.optional(),
      output: Denial.optional(),
      tool: z.object({ deny_tools: z.array(z.string()), reason: z.string() }).optional(),
    })
    .default({}),
  steering: z
    .object({ messages: z.array(z.object({ inject_before_iteration: z.number(), text: z.string() })) })
    .default({ messages: [] }),
});
const Turn = z.object({
  llm_response: z.unknown(),
  expected_execution_args: z.record(z.string(), Values).optional(),
  tool_results: z.array(z.object({ tool_call_id: z.string(), result: z.unknown() })).default([]),
});
const Expected = z.object({
  result: z.unknown().optional(),
  error: z.string().optional(),
  error_reason: z.string().optional(),
  iterations: z.number(),
  total_messages: z.number().optional(),
  tools_executed: z.number().optional(),
  tool_execution_order: z.array(z.string()).optional(),
  denied_tools: z.array(z.string()).optional(),
  message_sequence: z.array(Message).optional(),
  tool_result_message: Values.optional(),
  events: z.array(z.object({ type: z.string(), data: Values.default({}) })).optional(),
});
const Case = z.object({ input: Input, sequence: z.array(Turn).default([]), expected: Expected });
type Case = z.infer<typeof Case>;

/** What was seen of one invocation. */
interface Seen {
  readonly outcome: AgentOutcome;
  readonly error: AgentError | null;
  readonly requests: readonly ModelRequest[];
  readonly executed: readonly { readonly name: string; readonly args: Params }[];
  readonly events: readonly LoopEvent[];
}

export async function checkAgent(raw: unknown): Promise<void> {
  const one = Case.parse(raw);
  const seen = await invoke(one);
  const { expected } = one;
  checkEnd(one, seen);
  checkCalls(one, seen);
  if (expected.message_sequence)
    assert.deepEqual(seen.outcome.messages.map(plain), expected.message_sequence.map(same));
  if (expected.tool_result_message)
    assert.deepEqual(
      withTypes(seen.outcome.messages.find(({ role }) => role === "tool")),
      expected.tool_result_message,
    );
  if (expected.events)
    assert.deepEqual(toldOf(seen), expected.events.filter(({ type }) => told.has(type)).map(essence));
  if (one.input.context_budget !== undefined) checkTrimmed(one, seen);
}

async function invoke({ input, sequence }: Case): Promise<Seen> {
  const { tools, parent_inputs: inputs, max_iterations: most, guardrails, steering, cancel } = input;
  const executed: { name: string; args: Params }[] = [];
  const events: LoopEvent[] = [];
  const results = new Map(sequence.flatMap((turn) => turn.tool_results.map((one) => [one.tool_call_id, one.result])));
  const handlers: InvokeTools = Object.fromEntries(
    Object.entries(input.tool_functions).map(([name, text]) => [
      name,
      async (args: Params, { toolCallId }: { toolCallId: string }): Promise<unknown> => {
        executed.push({ name, args });
        await Promise.resolve();
        if (/\b(?:raise|throw)/i.test(text)) throw new Error(text);
        return results.get(toolCallId) ?? "";
      },
    ]),
  );
  const abort = new AbortController();
  if (cancel?.cancelled_at.startsWith("before")) abort.abort();
  const lastTool = /after_tool_(\d+)/.exec(cancel?.cancelled_at ?? "")?.[1];
  const onEvent = (event: LoopEvent): void => {
    events.push(event);
    const ended = events.filter(({ type }) => type === "tool:end").length;
    if (lastTool !== undefined && ended > Number(lastTool)) abort.abort();
  };
  const model = scripted(
    sequence.map(({ llm_response: response }) => replyOf(response)),
    windowFor(input.context_budget),
  );
  const started = (number: number): void => {
    for (const { inject_before_iteration: before, text } of steering.messages)
      if (before === number + 1) run.steer(text);
  };
  const options: InvokeOptions = {
    signal: abort.signal,
    onEvent,
    parallel: input.parallel_tool_calls,
    ...(most !== undefined && { maxIterations: most }),
    guardrails: {
      input: () => denial(guardrails.input),
      output: () => denial(guardrails.output),
      tool: (name) => (guardrails.tool?.deny_tools.includes(name) ? guardrails.tool.reason : null),
    },
  };
  const instructions = "{{ conversation }}";
  const agent = { name: "case", instructions, inputs: [{ name: "conversation", kind: "thread" }], tools };
  const given = { ...inputs, conversation: input.messages.map(spoken) };
  const run: AgentRun = startAgent(agent, given, handlers, { around: around(model.model(started)), options });
  const outcome = await run.outcome;
  const error = await run.result.then(
    () => null,
    (thrown: unknown) => (assert.ok(thrown instanceof AgentError), thrown),
  );
  return { outcome, error, requests: model.requests, executed, events };
}

/** The specification counts characters, and has no model to make a summary: ours needs some room for it. */
function windowFor(budget: number | undefined): number | undefined {
  return budget === undefined ? undefined : Math.max(budget, 600);
}

function denial(rule: z.infer<typeof Denial> | undefined): string | null {
  return rule === undefined || rule.action === "allow" ? null : rule.reason;
}

function spoken({ role, content, metadata }: z.infer<typeof Message>): Params {
  return { role, content: typeof content === "string" ? content : "", ...(metadata && { metadata }) };
}

function checkEnd({ input, sequence, expected }: Case, { outcome, error, requests }: Seen): void {
  const rounds = sequence.filter(({ llm_response: response }) => replyOf(response).some(({ type }) => type === "call"));
  const scripts = requests.filter((request) => !isSummary(request)).length;
  assert.ok(requests.length > 0 || expected.iterations === 0, outcome.failure?.message);
  assert.equal(scripts, Math.min(expected.iterations, input.max_iterations ?? 10), "requests");
  if (expected.error === undefined) {
    assert.equal(error, null);
    assert.equal(outcome.result, expected.result);
  } else {
    assert.ok(error, "it ends with an error");
    assert.match(`${error.code}: ${error.message}`, categoryOf(expected.error));
    if (expected.error_reason !== undefined) assert.equal(error.message, expected.error_reason);
    assert.deepEqual(error.outcome.messages, outcome.messages);
  }
  // In cases with calls the number is one too high, by their own messages.
  if (expected.total_messages !== undefined && rounds.length === 0)
    assert.equal(outcome.messages.length, expected.total_messages);
}

/** The kind of failure that a case names, as our codes and sentences say it. */
function categoryOf(error: string): RegExp {
  if (/cancel/i.test(error)) return /^run_cancelled: /;
  if (/guardrail/i.test(error)) return /^guardrail_denied: /;
  if (/exceed|iteration/i.test(error)) return /^iterations_exceeded: Agent loop exceeded \d+ iterations$/;
  if (/regist|handler|unknown tool|not found/i.test(error)) return /^tool_(?:unknown|invalid): .*registered/;
  return /./;
}

function checkCalls({ input, sequence, expected }: Case, { outcome, executed, requests }: Seen): void {
  for (const turn of sequence)
    for (const [name, args] of Object.entries(turn.expected_execution_args ?? {}))
      assert.deepEqual(executed.find((one) => one.name === name)?.args, args);
  const names = executed.map(({ name }) => name);
  if (expected.tool_execution_order) assert.deepEqual(names, expected.tool_execution_order);
  if (expected.tools_executed !== undefined) assert.equal(names.length, expected.tools_executed);
  for (const name of expected.denied_tools ?? []) assert.ok(!names.includes(name), `${name} ran`);
  const raises = (name: string | undefined): boolean =>
    /\b(?:raise|throw)/i.test(input.tool_functions[name ?? ""] ?? "");
  const results = new Map(outcome.toolResults.map((entry) => [entry.tool_call_id, entry]));
  // What the model was sent does not count behind the last request that there was.
  for (const { tool_call_id: id, result } of sequence.slice(0, requests.length).flatMap((turn) => turn.tool_results)) {
    const entry = results.get(id);
    assert.ok(entry, `${id} has no result`);
    if (raises(entry.name)) assert.equal(entry.status, "failed");
    else if (typeof result === "string") assert.ok(entry.content.endsWith(result), entry.content);
  }
}

const told: ReadonlySet<string> = new Set(["tool_call_start", "tool_result", "done", "cancelled"]);

/** Our events under the names of the specification; its other ones we have no counterpart of. */
function toldOf({ events, outcome }: Seen): unknown[] {
  const args = new Map(outcome.toolCalls.map((call) => [call.id, call.arguments]));
  // A call that never ran is told with the pair of events that every call has.
  const ran = new Set(
    outcome.toolResults.flatMap((entry) => (entry.status === "cancelled" ? [] : [entry.tool_call_id])),
  );
  return events.flatMap((event): unknown[] => {
    if (event.type === "tool:start" && ran.has(event.toolCallId))
      return [{ type: "tool_call_start", name: event.toolName, arguments: args.get(event.toolCallId) }];
    if (event.type === "tool:end" && ran.has(event.toolCallId))
      return [{ type: "tool_result", name: event.toolName, result: event.result }];
    if (event.type !== "loop:end") return [];
    return [event.success ? { type: "done", response: outcome.output } : { type: "cancelled" }];
  });
}

function essence({ type, data }: { type: string; data: Params }): unknown {
  return type === "cancelled" ? { type } : { type, ...data };
}

function plain(message: PromptMessage): unknown {
  const content = message.content.map(({ value }) => value).join("");
  return { role: message.role, content, ...(message.metadata && { metadata: message.metadata }) };
}

function same({ role, content, metadata }: z.infer<typeof Message>): unknown {
  return { role, content: Array.isArray(content) ? "" : content, ...(metadata && { metadata }) };
}

function withTypes(message: PromptMessage | undefined): unknown {
  return message && { ...message, content: message.content.map(({ kind, value }) => ({ type: kind, text: value })) };
}

function isSummary({ tools, system }: ModelRequest): boolean {
  return tools.length === 0 && system.startsWith(says.summarising);
}

/** A conversation that did not fit: nothing that matters gave way, and no call lost its result. */
function checkTrimmed({ input }: Case, { requests }: Seen): void {
  const texts = (role: string): unknown[] =>
    input.messages.filter((one) => one.role === role).map(({ content }) => content);
  const last = texts("user").at(-1);
  const sent = requests.filter((request) => !isSummary(request));
  const summarised = sent.length < requests.length;
  for (const { system, messages } of sent) {
    for (const text of texts("system")) assert.ok(system.includes(String(text)));
    assert.ok(messages.some(({ role, content }) => role === "user" && content === last));
    const calls = messages.flatMap((one) =>
      one.role === "assistant" ? (one.tool_calls ?? []).map(({ id }) => id) : [],
    );
    const results = messages.flatMap((one) => (one.role === "tool" ? [one.tool_call_id] : []));
    assert.deepEqual(results, calls);
    const size = JSON.stringify({ system, messages: messages.map(({ content }) => content) }).length / 4;
    assert.ok(summarised ? messages.length < input.messages.length : size <= (windowFor(input.context_budget) ?? 0));
  }
}
