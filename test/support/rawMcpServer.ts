// A server that says what it is told to say, right or wrong: its first argument is a JSON object of answers by method.
import { createInterface } from "node:readline";

interface Script {
  /** By method; a method without one gets an error, as in servers that do not know it. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** Methods at which it ends. */
  readonly dies?: readonly string[];
  /** Methods that it never answers. */
  readonly silent?: readonly string[];
  /** What it prints first, as it is. */
  readonly prints?: string;
}

const script: Script = JSON.parse(process.argv[2] ?? "{}");
const { answers = {}, dies = [], silent = [], prints = "" } = script;
const usual = {
  initialize: {
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "raw", version: "1.0.0" },
  },
  ping: {},
};
const known: Readonly<Record<string, unknown>> = { ...usual, ...answers };

process.stdout.write(prints);
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (dies.includes(method)) process.exit(4);
  if (id === undefined || silent.includes(method)) return;
  const answer = Object.hasOwn(known, method)
    ? { result: known[method] }
    : { error: { code: -32_601, message: "Method not found" } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
