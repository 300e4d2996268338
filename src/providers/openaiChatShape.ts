// How a server of Chat Completions wants a conversation beyond what all of them take: learnt from what it refuses, for all requests that follow.
import { createHash } from "node:crypto";
import { recordOf, type WireRecord } from "./wireValue.ts";

/** What a server asks for; nothing until it refuses. */
export interface Shape {
  /** Ids of calls with nine letters and digits, as Mistral's models have them. */
  readonly shortIds: boolean;
  /** Replies of the assistant between all messages of the user, and behind results. */
  readonly alternating: boolean;
  /** No message of the system: the user says it first. */
  readonly systemless: boolean;
  /** Reasoning with each earlier reply, also where there was none. */
  readonly reasoned: boolean;
  /** Nothing of the reasoning of earlier replies. */
  readonly unreasoned: boolean;
  /** Something as content, also of a reply that has calls only. */
  readonly worded: boolean;
  /** A signature for each call, also for those of other models. */
  readonly signed: boolean;
}

export const usual: Shape = {
  shortIds: false,
  alternating: false,
  systemless: false,
  reasoned: false,
  unreasoned: false,
  worded: false,
  signed: false,
};

const remedies: readonly (readonly [RegExp, keyof Shape])[] = [
  [/tool[ _]call[ _]?ids?\b.{0,200}\b(?:length of 9|9 (?:alphanumeric |characters))/i, "shortIds"],
  [/roles? must alternate|unexpected role .{0,3}user.{0,3} after role .{0,3}tool/i, "alternating"],
  [/system role (?:is )?not supported|developer instruction is not enabled/i, "systemless"],
  [
    /reasoning_content.{0,40}(?:unsupported|not (?:supported|permitted|allowed))|extra_forbidden.{0,80}reasoning_content/i,
    "unreasoned",
  ],
  [/reasoning_content/i, "reasoned"],
  [/thought_?signature/i, "signed"],
  [
    /missing (?:required )?(?:field|key|parameter):? ?.{0,2}content|.content.{0,2} (?:field )?is (?:a )?required|\bcontent\b.{1,12}field required/i,
    "worded",
  ],
];

/**
 * Reads a refusal, whatever its status is: templates of local servers fail with 500.
 * @param thrown what the client library threw
 * @returns what of the shape to change, or null when the refusal is about something else
 */
export function afterRefusal(thrown: unknown, shape: Shape): Partial<Shape> | null {
  const said = JSON.stringify(recordOf(thrown)["error"] ?? "");
  const remedy = remedies.find(([words, name]) => !shape[name] && words.test(said));
  return remedy ? { [remedy[1]]: true } : null;
}

/** What Google's API takes for the signature of a call that it has not made itself. */
export const unsigned = { google: { thought_signature: "skip_thought_signature_validator" } };

/** The messages as this server wants them. */
export function shaped(messages: readonly WireRecord[], shape: Shape): readonly WireRecord[] {
  const spoken = shape.systemless
    ? messages.map((one) => (one["role"] === "system" ? { ...one, role: "user" } : one))
    : messages;
  return shape.alternating || shape.systemless ? alternating(spoken) : spoken;
}

function alternating(messages: readonly WireRecord[]): readonly WireRecord[] {
  const made: WireRecord[] = [];
  for (const message of messages) {
    const last = made.at(-1);
    if (message["role"] === "user" && last?.["role"] === "user") made[made.length - 1] = joined(last, message);
    else if (message["role"] === "user" && last?.["role"] === "tool") made.push(between, message);
    else made.push(message);
  }
  return made;
}

const between: WireRecord = { role: "assistant", content: "I have read the results." };

function joined(first: WireRecord, second: WireRecord): WireRecord {
  const [a, b] = [first["content"], second["content"]];
  const words = typeof a === "string" && typeof b === "string";
  return { role: "user", content: words ? `${a}\n\n${b}` : [...partsIn(a), ...partsIn(b)] };
}

function partsIn(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/** An id as the server takes it, the same for the same call in every request. */
export function idFor(id: string, { shortIds }: Pick<Shape, "shortIds">): string {
  if (!shortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}
