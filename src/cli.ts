#!/usr/bin/env node
// The `brain` command: a run on the terminal, its events as JSON lines.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { parseArgs } from "node:util";
import { replayCommand, replayHelp } from "./cliReplay.ts";
import { answersIn, recorded, recordHelp } from "./cliRecord.ts";
import { traceCommand, traceHelp } from "./cliTrace.ts";
import { createSessionCommands, type CommandLine, sessionHelp } from "./cliSessions.ts";
import { attachment } from "./cliAttach.ts";
import { createBrain, type BrainOptions, type Outcome, type Run } from "./headless.ts";
import { providerNames, toolCallings } from "./protocol/config.ts";
import { readServers, type McpServer } from "./protocol/mcp.ts";
import { settings } from "./protocol/settings.ts";
import { efforts } from "./protocol/replyOptions.ts";
import { toFailure, type Failure } from "./protocol/errors.ts";
import { rulesInFile } from "./protocol/ruleFile.ts";
import type { Rule } from "./protocol/rules.ts";

const help = `brain: a coding agent for one folder

  brain run --workspace DIR --message TEXT   run a task; each event is one JSON line, the outcome is the last
      --agent NAME            the agent to run (default: coder)
      --session ID            go on in this session
      --provider NAME         ${providerNames.join(" | ")} (default: demo, a scripted model that needs no key)
      --base-url URL          the endpoint (default: the provider's own)
      --model NAME            the model, as the endpoint knows it
      --tool-calling HOW      native (default), or json for models that know no tools, or auto
      --effort HOW            how hard the model thinks: ${efforts.join(" | ")}
      --attach FILE           an image or a PDF that the model is shown with the message; as often as needed
      --context-window N      tokens the model reads at once
      --approve WHO           policy (default: refuse what would be asked), all, or none
      --rules FILE            JSON list of rules, as in the setting brain.rules
      --mcp FILE              servers of the Model Context Protocol, as in the setting brain.mcpServers
      --max-iterations N      rounds of calls before the run sums up (default: 10)
${recordHelp}      --trace FILE            how long each part took: FILE.tracy as a tree, else OpenTelemetry's JSON lines
      --trace-contents        with what was said
${sessionHelp}${traceHelp}${replayHelp}
The key of the endpoint is read from BRAIN_API_KEY.
Exit code: 0 completed, 1 failed, 2 bad usage, 130 aborted; of replay: 0 the same, 1 different, 2 no such session.
`;

const exitCodes = { completed: 0, failed: 1, usage: 2, aborted: 130 } as const;

class Usage extends Error {}

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === "run") return run(rest);
  const sessionCommand = sessionCommands.get(command ?? "");
  if (sessionCommand) return exitCodes[await sessionCommand(rest)];
  if (command === "trace") return exitCodes[await traceCommand(commandLine)(rest)];
  if (command === "replay") return exitCodes[await replayCommand(commandLine)(rest)];
  if (command === undefined || command === "help" || command === "--help" || command === "-h") {
    process.stdout.write(help);
    return command === undefined ? exitCodes.usage : exitCodes.completed;
  }
  throw new Usage(`There is no command “${command}”.`);
}

const commandLine: CommandLine = {
  read,
  folder,
  print,
  write: (text) => void process.stdout.write(text),
  usage: (message) => new Usage(message),
};
const sessionCommands = createSessionCommands(commandLine);

const runOptions = {
  workspace: { type: "string" },
  message: { type: "string" },
  agent: { type: "string" },
  session: { type: "string" },
  provider: { type: "string", default: "demo" },
  "base-url": { type: "string", default: settings.baseUrl.default },
  model: { type: "string", default: "" },
  "tool-calling": { type: "string", default: "native" },
  effort: { type: "string", default: "default" },
  attach: { type: "string", multiple: true },
  "context-window": { type: "string" },
  approve: { type: "string", default: "policy" },
  rules: { type: "string" },
  mcp: { type: "string" },
  "max-iterations": { type: "string" },
  record: { type: "string" },
  answers: { type: "string" },
  trace: { type: "string" },
  "trace-contents": { type: "boolean", default: false },
} as const;

async function run(args: readonly string[]): Promise<number> {
  const { values } = read(() => parseArgs({ args: [...args], options: runOptions, strict: true }));
  const { message, agent, session } = values;
  if (message === undefined) throw new Usage("--message is missing: say what Brain should do.");
  const window = positive(values["context-window"], "--context-window");
  const rounds = positive(values["max-iterations"], "--max-iterations");
  const parts = (values.attach ?? []).map((file) => read(() => attachment(file)));
  const brain = createBrain({
    workspace: folder(values.workspace),
    ...read(() => endpointOf(values)),
    toolCalling: oneOf(values["tool-calling"], toolCallings, "--tool-calling"),
    effort: oneOf(values.effort, efforts, "--effort"),
    ...(window !== undefined && { contextWindow: window }),
    ...(values.rules !== undefined && { rules: rulesIn(values.rules) }),
    ...(values.mcp !== undefined && { mcpServers: serversIn(values.mcp) }),
    ...(values.trace !== undefined && { trace: { file: values.trace, contents: values["trace-contents"] } }),
    approve: oneOf(values.approve, ["policy", "all", "none"] as const, "--approve"),
    config: rounds === undefined ? {} : { maxToolIterations: rounds },
    log: (line) => void process.stderr.write(`${line}\n`),
  } satisfies BrainOptions);
  try {
    const outcome = await follow(brain.run({ message, parts, agent, sessionId: session }));
    if (outcome.failure) process.stderr.write(inWords(outcome.failure));
    return exitCode(outcome);
  } finally {
    await brain.dispose();
  }
}

interface EndpointOptions {
  readonly provider: string;
  readonly "base-url": string;
  readonly model: string;
  readonly record?: string;
  readonly answers?: string;
}

function endpointOf({ provider, "base-url": baseUrl, model, record, answers }: EndpointOptions): Partial<BrainOptions> {
  const apiKey = process.env["BRAIN_API_KEY"] ?? "";
  const asked = { provider: oneOf(provider, providerNames, "--provider"), baseUrl, apiKey, model };
  const endpoint = answers === undefined ? asked : answersIn(answers, asked);
  return record === undefined ? endpoint : recorded(record, endpoint);
}

/** What happened, what to do, and each single problem on a line of its own. */
function inWords({ message, next, details = [] }: Failure): string {
  return [`${message} ${next}`, ...details].map((line) => `${line}\n`).join("");
}

async function follow(started: Run): Promise<Outcome> {
  const stop = (): void => started.stop();
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  for await (const event of started) print(event);
  const outcome = await started.result;
  // The conversation is in the transcript, and would make a line of any length.
  const { messages: _conversation, ...shown } = outcome;
  print({ type: "outcome", ...shown });
  return outcome;
}

function exitCode({ status }: Outcome): number {
  if (status === "completed") return exitCodes.completed;
  return status === "aborted" ? exitCodes.aborted : exitCodes.failed;
}

function print(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Usage(error instanceof Error ? error.message : String(error));
  }
}

function folder(name: string | undefined): string {
  if (name === undefined) throw new Usage("--workspace is missing: name the folder to work in.");
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) throw new Usage(`There is no folder ${name}.`);
  return realpathSync(name);
}

function oneOf<const T extends string>(value: string, names: readonly T[], option: string): T {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new Usage(`${option} must be one of ${names.join(", ")}, not “${value}”.`);
  return found;
}

function rulesIn(file: string): readonly Rule[] {
  try {
    return rulesInFile(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Usage(`No rules from ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One that is written wrong is told before anything is asked. */
function serversIn(file: string): Readonly<Record<string, McpServer>> {
  const { servers, problems } = read(() => readServers(JSON.parse(readFileSync(file, "utf8"))));
  if (problems.length > 0) throw new Usage(`No MCP servers from ${file}: ${problems.join(" ")}`);
  return Object.fromEntries(servers.map(({ name, server }) => [name, server]));
}

function positive(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Usage(`${option} must be a whole number above 0, not “${text}”.`);
  return value;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof Usage) {
    process.stderr.write(`${error.message}\nSee \`brain --help\`.\n`);
    process.exitCode = exitCodes.usage;
  } else {
    process.stderr.write(inWords(toFailure(error)));
    process.exitCode = exitCodes.failed;
  }
}
