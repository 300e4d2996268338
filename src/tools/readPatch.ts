// Reads a patch in either of the two forms that models write.
import { isEnvelope, readEnvelope } from "./envelope.ts";
import type { ReadPatch } from "./patchFile.ts";
import { readUnifiedDiff } from "./unifiedDiff.ts";

/** What it says, or one sentence about what is wrong with it. A fence around it is no part of it. */
export function readPatch(text: string): ReadPatch {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (isEnvelope(lines)) return readEnvelope(lines);
  const fence = lines.findIndex((line) => line.trim() !== "");
  if (!lines[fence]?.startsWith("```")) return readUnifiedDiff(lines);
  const close = lines.findLastIndex((line) => line.trim() === "```");
  return readUnifiedDiff(lines.slice(fence + 1, close > fence ? close : undefined));
}
