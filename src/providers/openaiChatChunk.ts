// One chunk of a Chat Completions stream, read leniently: compatible servers leave out, rename and repeat parts of it.
import type { Usage } from "../protocol/usage.ts";
import { reportedCost, type Report } from "./reportedCost.ts";
import { countOf, isRecord, listOf, numberOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** A piece of a call; what the chunk did not have is `""` or undefined. */
export interface WireCall {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** What the server wants back with this call, such as a thought signature. */
  readonly extra: unknown;
}

export interface WireChunk {
  readonly text: string;
  readonly refusal: string;
  readonly thinking: string;
  /** Pieces of reasoning that the server wants back as they came. */
  readonly details: readonly WireRecord[];
  readonly calls: readonly WireCall[];
  readonly finish: string;
  readonly report: Report | null;
  /** Null when there is none. */
  readonly error: unknown;
}

/** Reads whatever one event of the stream held; an unknown one reads as an empty chunk. */
export function readChunk(raw: unknown): WireChunk {
  const chunk = recordOf(raw);
  const choice = recordOf(listOf(chunk["choices"])[0]);
  const delta = recordOf(choice["delta"]);
  const parts = listOf(delta["content"]).map(recordOf);
  const details = listOf(delta["reasoning_details"]).filter(isRecord);
  return {
    text: textOf(delta["content"]) || joined(parts, "text"),
    refusal: textOf(delta["refusal"]),
    thinking:
      textOf(delta["reasoning_content"]) ||
      textOf(delta["reasoning"]) ||
      joined(
        parts.flatMap((part) => listOf(part["thinking"]).map(recordOf)),
        "text",
      ) ||
      details.map((piece) => textOf(piece["text"]) || textOf(piece["summary"])).join(""),
    details,
    calls: listOf(delta["tool_calls"]).map(readCall),
    finish: textOf(choice["finish_reason"]),
    report: readReport(chunk["usage"] ?? recordOf(chunk["x_groq"])["usage"]),
    error: [chunk["error"], choice["error"]].find(Boolean) ?? null,
  };
}

function joined(parts: readonly WireRecord[], key: string): string {
  return parts.map((part) => textOf(part[key])).join("");
}

function readCall(raw: unknown): WireCall {
  const call = recordOf(raw);
  const shape = recordOf(call["function"]);
  const given = shape["arguments"];
  return {
    index: numberOf(call["index"]),
    id: textOf(call["id"]),
    name: textOf(shape["name"]),
    arguments: isRecord(given) ? JSON.stringify(given) : textOf(given),
    extra: call["extra_content"],
  };
}

function readReport(raw: unknown): Report | null {
  if (!isRecord(raw)) return null;
  const read = recordOf(raw["prompt_tokens_details"]);
  const cached = countOf(read["cached_tokens"]) ?? countOf(raw["prompt_cache_hit_tokens"]);
  const written = countOf(read["cache_write_tokens"]);
  const reasoning = countOf(recordOf(raw["completion_tokens_details"])["reasoning_tokens"]);
  const usage = {
    input: countOf(raw["prompt_tokens"]) ?? 0,
    output: countOf(raw["completion_tokens"]) ?? 0,
    ...(cached !== undefined && { cached }),
    ...(written !== undefined && { written }),
    ...(reasoning !== undefined && { reasoning }),
  };
  return { usage, ...reportedCost(raw), ...thoughtsBeside(raw, usage) };
}

/** xAI and Google count thoughts in the total alone. */
function thoughtsBeside(raw: WireRecord, { input, output, reasoning = 0 }: Usage): Pick<Report, "beside"> {
  return reasoning > 0 && raw["total_tokens"] === input + output + reasoning ? { beside: reasoning } : {};
}
