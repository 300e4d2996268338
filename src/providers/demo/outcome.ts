// How a call ended, read from its result's text: decided otherwise by a person, refused, or done with whatever came out.

export interface Outcome {
  readonly kind: "ran" | "rejected" | "denied" | "cancelled";
  /** What a person did to the call before it ran. */
  readonly change: "none" | "changed" | "replaced";
  /** Why it was rejected, denied or cancelled; `""` when nothing was said. */
  readonly why: string;
  /** What a person said of it when they approved it; `""` for nothing. */
  readonly note: string;
  /** What the tool itself said, without words about decisions in front. */
  readonly text: string;
}

/** Reads a result; of an unknown form it is what a tool said. */
export function readOutcome(result: string): Outcome {
  const noted = /^The person says of this: ([^\n]*)\n*/.exec(result);
  const bare = noted ? result.slice(noted[0].length) : result;
  const decided = /^(Changed|Replaced) by the person[^\n]*\n*/.exec(bare);
  const change = !decided ? "none" : decided[1] === "Changed" ? "changed" : "replaced";
  const text = decided ? bare.slice(decided[0].length) : bare;
  const [, ending, why = ""] =
    /^(Rejected by the person|Rejected by policy|Denied|Cancelled|Skipped)\b[:.]?(.*)/s.exec(text) ?? [];
  return {
    kind: kindOf(ending),
    change,
    note: noted?.[1] ?? "",
    why: why.replaceAll(/\s+/g, " ").trim().replace(/\.$/, ""),
    text,
  };
}

function kindOf(ending: string | undefined): Outcome["kind"] {
  if (ending === undefined) return "ran";
  if (ending.startsWith("Rejected")) return "rejected";
  return ending === "Denied" ? "denied" : "cancelled";
}

/** Why a call did not run, in words that stand after its name; `""` when it ran. */
export function notRun({ kind, why }: Outcome): string {
  switch (kind) {
    case "ran":
      return "";
    case "rejected":
      return why === "" || why === "It did not run" ? "was rejected, without a reason" : `was rejected: “${why}”`;
    case "denied":
      return why === "" ? "was denied" : `was denied: ${why}`;
    case "cancelled":
      return "was stopped before it ran";
  }
}

/** The first line of what a tool said, short enough for a sentence. */
export function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
