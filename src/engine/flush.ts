// MEMORY_FLUSH: before a conversation is compacted, the model may note what lasts; a hidden turn that leaves nothing but the notes (C-39).
import { spendReply } from "./budget.ts";
import { isMessage, type Entry, type MemoryFlushEntry, type Message } from "../protocol/messages.ts";
import type { RequestRecord } from "../protocol/usage.ts";
import { flushed as told } from "../protocol/replay.ts";
import { createBatch } from "./calls.ts";
import { conversation } from "./conversation.ts";
import { estimateTokens, mostOwn } from "./estimate.ts";
import { assistantEntry, toolEntry } from "./lines.ts";
import { noTouches } from "./slot.ts";
import type { CallRecord } from "./perform.ts";
import type { ModelRequest, Tool } from "./ports.ts";
import type { Progress } from "./progress.ts";
import { prune, withPruned } from "./prune.ts";
import { toolSpec } from "./prompt.ts";
import { sendRequest } from "./request.ts";
import { timestamp, type Running } from "./running.ts";
import { endThatFits } from "./units.ts";

/** The one tool that it may use. */
const memoryTool = "update_memory";
const mostRequests = 3;
/** What the tool's own description and its calls may take, in tokens. */
const spare = 400;

const silent = "Session nearing compaction. Store durable memories now.";
const ask = `Write any lasting notes to MEMORY.md with ${memoryTool}: decisions, conventions, what I prefer, what holds beyond this task. Do not note what MEMORY.md says already. Reply with NO_REPLY if nothing to store.`;

/** The agreed word for nothing: the whole text, whatever its case (BRAIN-FLUSH-3). */
export function isNoReply(text: string): boolean {
  return text.trim().toUpperCase() === "NO_REPLY";
}

/** Whether it has been done since the last compaction: the transcript says so, whatever was restarted (BRAIN-FLUSH-4, -5). */
export function flushedThisCycle(entries: readonly Entry[]): boolean {
  const last = entries.findLast(
    (entry) =>
      !isMessage(entry) &&
      entry.within === undefined &&
      (entry.type === "memory_flush" || (entry.type === "compaction" && entry.edits === undefined)),
  );
  return last !== undefined && !isMessage(last) && last.type === "memory_flush";
}

/**
 * Lets the model write to memory, once. Skipped without the memory tool, as in folders that are not trusted, and in
 * delegates. Never throws: what goes wrong in it is no reason to end the run.
 * @param room tokens that a request may take
 */
export async function flushMemory(room: number, progress: Progress, run: Running): Promise<void> {
  const tool = run.tools.find(({ name }) => name === memoryTool);
  if (!tool || run.depth > 1) return;
  const ours = mostOwn(room, progress.anchor);
  const request = requestFor(tool, ours, progress, run);
  if (!request) return;
  const { calls, said, requests } = await turn(request, ours, detached(tool, run));
  if (run.signal.aborted && calls.length === 0) return run.unwritten(requests);
  const wrote = calls.some(({ status }) => status === "succeeded");
  const entry: MemoryFlushEntry = {
    type: "memory_flush",
    id: run.ports.ids(),
    runId: run.runId,
    timestamp: timestamp(run.ports),
    wrote,
    calls: calls.map(({ call, status, content }) => ({
      name: call.name,
      arguments: call.arguments,
      status,
      content,
    })),
    ...(said !== "" && { said }),
    ...(requests.length > 0 && { requests: [...requests] }),
  };
  progress.entries.push(entry);
  void run.record(entry);
  for (const event of told(entry)) run.emit(event);
}

/** Null when there is nothing but the last message that could be read. */
function requestFor(
  tool: Tool,
  room: number,
  { system, entries, pruned }: Progress,
  run: Running,
): ModelRequest | null {
  const about = { runId: run.runId, timestamp: timestamp(run.ports) };
  const question: Message = { role: "user", content: ask, id: "flush", ...about };
  const around: ModelRequest = {
    system: `${system}\n\n${silent}`,
    messages: [question],
    tools: [toolSpec(tool, { dataFlow: false })],
  };
  const left = room - spare - estimateTokens(around);
  const whole = withPruned(conversation(entries), pruned);
  const fits = endThatFits(whole, left).length === whole.length;
  // What a person said matters more here than what tools answered.
  const messages = fits ? whole : endThatFits(withPruned(whole, prune(whole, new Map(), 0)), left);
  if (messages.length === 0 || whole.length < 2) return null;
  const opening: Message = { role: "user", content: "(The beginning is left out.)", id: "opening", ...about };
  const open = messages[0]?.role === "user" ? [] : [opening];
  return { ...around, messages: [...open, ...messages, question] };
}

/** The same run, seen and heard by nobody, with one tool that policy approves. */
function detached(tool: Tool, run: Running): Running {
  return {
    ...run,
    emit: (event) => event.type === "model:retry" && run.emit(event),
    ports: { ...run.ports, approve: () => Promise.resolve({ decision: { kind: "approve" }, by: "policy" }) },
    config: { ...run.config, plan: "eager", dataFlow: false },
    tools: [tool],
    state: [],
  };
}

interface Turn {
  readonly calls: readonly CallRecord[];
  /** The last words, if they were not the agreed one. */
  readonly said: string;
  readonly requests: readonly RequestRecord[];
}

async function turn(first: ModelRequest, room: number, run: Running): Promise<Turn> {
  const calls: CallRecord[] = [];
  const requests: RequestRecord[] = [];
  let request = first;
  let said = "";
  for (let sent = 0; sent < mostRequests && estimateTokens(request) <= room; sent += 1) {
    const batch = createBatch(run, () => undefined);
    const reply = await sendRequest(request, sent, run, batch.add);
    requests.push(spendReply(reply, run));
    const records = await batch.settled();
    calls.push(...records);
    said = isNoReply(reply.text) ? "" : reply.text.trim();
    if (reply.end.kind !== "finished" || records.length === 0) break;
    const answered = [
      assistantEntry(reply, reply.calls, sent, run),
      ...records.map((record) => toolEntry({ ...record, effect: "write", touches: noTouches }, run)),
    ];
    request = { ...request, messages: [...request.messages, ...answered] };
  }
  return { calls, said, requests };
}
