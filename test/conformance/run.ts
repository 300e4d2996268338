// `npm run conformance -- --vectors DIR`: drives every group of vectors that Brain has the parts for, and closes with the counts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { add, isGreen, none, sentence, type Counts } from "../support/counts.ts";
import { checkActsRefs } from "./actsRefs.ts";
import { checkActsSchedule } from "./actsSchedule.ts";
import { checkAgent } from "./agent.ts";
import { checkBrainContext } from "./brainContext.ts";
import { checkHttpMessages } from "./httpMessages.ts";
import { checkLoad } from "./promptyLoad.ts";
import { checkPromptyTool } from "./promptyTool.ts";
import { checkParse, checkRender, checkSegments } from "./promptyRender.ts";
import { checkStreamAnthropic } from "./streamAnthropic.ts";
import { checkHttpChat } from "./httpChat.ts";
import { checkHttpResponses } from "./httpResponses.ts";
import { checkProcess, checkProcessStream } from "./processReply.ts";
import { checkStreamChat } from "./streamChat.ts";
import { checkStreamResponses } from "./streamResponses.ts";
import { checkWire } from "./wire.ts";

/**
 * Checks one case of a group; throws when it does not hold.
 * @param fixtures the folder of files that cases name
 * @returns `skipped` for what Brain has no part for, which only cases that are optional may be
 */
type Driver = (raw: unknown, fixtures: string) => Promise<"skipped" | void>;

/** A group without a driver is said and counted as skipped: what it asks for is not built. */
const drivers: Readonly<Record<string, Driver>> = {
  acts_refs: checkActsRefs,
  acts_schedule: checkActsSchedule,
  agent: checkAgent,
  brain_context: checkBrainContext,
  "external/http_messages": checkHttpMessages,
  "external/stream_anthropic": checkStreamAnthropic,
  "external/http_chat": checkHttpChat,
  "external/http_responses": checkHttpResponses,
  "external/stream_chat": checkStreamChat,
  "external/stream_responses": checkStreamResponses,
  load: checkLoad,
  parse: checkParse,
  prompty_tool: checkPromptyTool,
  render: checkRender,
  render_generated: checkRender,
  render_segments: checkSegments,
  process: checkProcess,
  process_stream: checkProcessStream,
  wire: checkWire,
};

const Cases = z.array(z.looseObject({ id: z.string() }));
const Split = z.object({
  entries: z.record(z.string(), z.looseObject({ use: z.string(), note: z.string().optional() })),
});

function groupsIn(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json") && path.basename(name) !== "SPLIT.json")
    .map((name) => name.replaceAll(path.sep, "/").replace(/\.json$/, ""))
    .filter((name) => !name.startsWith("fixtures/"))
    .toSorted((a, b) => a.localeCompare(b));
}

function splitOf(dir: string): z.infer<typeof Split>["entries"] {
  const file = path.join(dir, "SPLIT.json");
  return existsSync(file) ? Split.parse(JSON.parse(readFileSync(file, "utf8"))).entries : {};
}

async function runCase(id: string, use: string | undefined, check: () => ReturnType<Driver>): Promise<Counts> {
  try {
    if ((await check()) !== "skipped") return { ...none, passed: 1 };
    if (use !== "optional") throw new Error("Nothing of this is built, and it is not optional.");
    return { ...none, skipped: 1 };
  } catch (error) {
    console.log(`✖ ${id}\n${error instanceof Error ? error.message : String(error)}`);
    return { ...none, failed: 1 };
  }
}

async function runGroup(dir: string, group: string): Promise<Counts> {
  const cases = Cases.parse(JSON.parse(readFileSync(path.join(dir, `${group}.json`), "utf8")));
  const driver = drivers[group];
  if (!driver) {
    console.log(`- ${group}: ${cases.length} skipped, nothing of it is built yet`);
    return { ...none, skipped: cases.length };
  }
  const split = splitOf(dir);
  const inside = path.join(dir, "fixtures");
  const fixtures = existsSync(inside) ? inside : path.join(dir, "../fixtures");
  let counts = none;
  for (const one of cases) {
    const use = split[one.id]?.use;
    const run = (): Promise<Counts> => runCase(one.id, use, () => driver(one, fixtures));
    counts = add(counts, use === "skip" ? { ...none, skipped: 1 } : await run());
  }
  console.log(`- ${group}: ${sentence(counts)}`);
  return counts;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { vectors: { type: "string" } } });
  const dir = path.resolve(values.vectors ?? path.join(import.meta.dirname, "../../../shared/conformance/dev"));
  if (!existsSync(dir)) throw new Error(`There are no vectors in ${dir}: name their folder with --vectors DIR.`);
  let total = none;
  for (const group of groupsIn(dir)) total = add(total, await runGroup(dir, group));
  console.log(sentence(total));
  process.exitCode = isGreen(total) ? 0 : 1;
}

await main();
