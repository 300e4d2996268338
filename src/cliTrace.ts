// `brain trace`: when the requests and calls of a session's runs were at work, what waited, and what it took, as text.
import { parseArgs } from "node:util";
import { closeRuns } from "./brain/interrupted.ts";
import type { CommandLine } from "./cliSessions.ts";
import { createBrain } from "./headless.ts";
import type { Usage } from "./protocol/usage.ts";
import type { Stretch, Trace, TraceSpan } from "./protocol/trace.ts";
import { traceOf } from "./protocol/traceOf.ts";

export const traceHelp = `  brain trace ID                             when each request and call of a session's runs worked, and what it took
      --run RUN               one run only
      --json                  one JSON line for each run
`;

/** Makes the command. It throws what the command line tells. */
export function traceCommand(line: CommandLine): (args: readonly string[]) => Promise<"completed"> {
  return async (args) => {
    const options = { workspace: { type: "string" }, run: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = line.read(() =>
      parseArgs({ args: [...args], options, strict: true, allowPositionals: true }),
    );
    const [id, ...more] = positionals;
    if (id === undefined || more.length > 0) throw line.usage("Name one session: `brain sessions` lists them.");
    const { sessions } = createBrain({ workspace: line.folder(values.workspace ?? ".") });
    const entries = closeRuns(await sessions.read(id));
    const runs = values.run === undefined ? new Set(entries.map(({ runId }) => runId)) : [values.run];
    const traces = [...runs].flatMap((runId) => traceOf(entries, runId) ?? []);
    if (values.run !== undefined && traces.length === 0) throw line.usage(`There is no run “${values.run}” in it.`);
    for (const trace of traces) {
      if (values.json === true) line.print(trace);
      else line.write(`${waterfall(trace).join("\n")}\n`);
    }
    return "completed";
  };
}

/** Characters of a bar. */
const width = 32;

function waterfall(trace: Trace): readonly string[] {
  const { message, runId, status, duration, waited, usage, cost, spans, isAbout } = trace;
  const first = message.trim().split("\n", 1)[0] ?? "";
  const asked = waited === 0 ? [] : [`waited for you ${seconds(waited)}`];
  const totals = [`${status ?? "goes on"} after ${seconds(duration)}`, ...asked, ...tookWords(usage, cost)];
  return [
    `run ${runId}: ${first === "" ? "(no message)" : first}`,
    totals.join(", "),
    ...(isAbout ? ["Not all times were recorded; they are told from the order of what was."] : []),
    ...spans.map((span) => row(span, duration)),
    "",
  ];
}

function row(span: TraceSpan, duration: number): string {
  const { all, depth } = span;
  const times = `${seconds(all.from).padStart(9)} ${seconds(all.to - all.from).padStart(9)}`;
  return `${times} │${bar(span, duration)}│ ${"  ".repeat(depth)}${words(span)}`;
}

/** `█` at work, `░` a person is asked, `─` what stands under it goes on. */
function bar({ all, work, waits }: TraceSpan, duration: number): string {
  const place = (time: number): number => (duration === 0 ? 0 : Math.round((time / duration) * width));
  const cells = Array.from({ length: width }, () => " ");
  const draw = ({ from, to }: Stretch, mark: string): void => {
    const start = Math.min(place(from), width - 1);
    cells.fill(mark, start, Math.max(start + 1, place(to)));
  };
  draw(all, "─");
  if (work) draw(work, "█");
  for (const wait of waits) draw(wait, "░");
  return cells.join("");
}

function words(span: TraceSpan): string {
  const { state, usage, cost, first } = span;
  const soon = first === null ? [] : [`first word after ${seconds(first)}`];
  const ended = state === "succeeded" ? [] : [state];
  return [nameOf(span), ...ended, ...(usage ? tookWords(usage, cost) : []), ...soon].join(", ");
}

function nameOf({ kind, number, label, model }: TraceSpan): string {
  switch (kind) {
    case "call":
    case "pause":
      return [label?.verb, label?.subject].filter(Boolean).join(" ");
    case "request":
      return [number === 0 ? "request" : `request ${number}`, model].filter(Boolean).join(" to ");
    case "plan":
      return `plan of ${number} calls`;
    case "summary":
      return "summary of what was before";
    case "notes":
      return "notes for MEMORY.md";
  }
}

function tookWords({ input, output, cached, reasoning }: Usage, cost: number | null): readonly string[] {
  const part = (count: number | undefined, what: string): string => (count === undefined ? "" : ` (${count} ${what})`);
  const tokens = `${input} tokens read${part(cached, "cached")}, ${output} written${part(reasoning, "thought")}`;
  return [tokens, ...(cost === null ? [] : [`$${cost.toFixed(4)}`])];
}

/** 1234 → "1.23 s". */
function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}
