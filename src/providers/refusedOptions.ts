// A fetch that sends a request again without the option that its endpoint has refused, and all further ones without it from the start.
import { without } from "./openaiResponsesKept.ts";
import { recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** What a request can do without. Where an endpoint refuses two together, the first goes. */
const options = [
  "top_p",
  "top_k",
  "temperature",
  "frequency_penalty",
  "presence_penalty",
  "seed",
  "stop",
  "stop_sequences",
  "parallel_tool_calls",
  "reasoning_effort",
  "reasoning",
  "output_config",
  "thinking",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
] as const;
type Option = (typeof options)[number];

const quoted = (name: string): string => `["'\`]${name}(?:\\.\\w+)*\\\\?["'\`]|: ${name}\\b`;

/** What names an option, where its name is too common to count wherever it stands, or is not the only one. */
const words: Readonly<Partial<Record<Option, string>>> = {
  seed: quoted("seed"),
  stop: quoted("stop"),
  reasoning: `${quoted("reasoning")}|\\breasoning\\.effort\\b`,
  reasoning_effort: "\\breasoning[ _]?effort\\b|\\bthink value\\b",
  // Its other member, the form of the answer, is not left out without a word.
  output_config: "\\beffort\\b",
  thinking: `${quoted("thinking")}|\\badaptive thinking\\b|\\bthinking\\.\\w+`,
};

const refusing =
  /not (?:\w+ )?(?:support|permit|allow|accept|recogni|available)|unsupported|unrecogni|unknown|unexpected|extra|forbidden|deprecated|cannot|can't|invalid|incompatible|at most|must be|match|too large|maximum|only/i;

/** What is wrong with the conversation, or its length, is no matter of options. */
const ofConversation = /messages?[.[]\s*\d|input\[\d|signature|context[ _](?:length|window|limit|size)/i;

/** Makes another body of one. */
type Change = (body: WireRecord) => WireRecord;

/** A server that refuses what it has named itself would be asked for ever. */
const most = 8;

/** Makes the fetch; what it has learnt it keeps as long as it lives (PROMPTY-7-2). */
export function withoutRefused(send: typeof fetch): typeof fetch {
  let changes: readonly Change[] = [];
  return async (input, init) => {
    for (let tries = 1; ; tries += 1) {
      const sent = changes.length === 0 ? init : { ...init, body: JSON.stringify(changed(init, changes)) };
      const response = await send(input, sent);
      if (response.status !== 400 && response.status !== 422) return response;
      const said = await response.text();
      const change = tries < most ? changeFor(said, changed(init, changes)) : null;
      const { status, headers } = response;
      if (!change) return new Response(said, { status, headers });
      changes = [...changes, change];
    }
  };
}

function changed(init: RequestInit | undefined, changes: readonly Change[]): WireRecord {
  const body = typeof init?.body === "string" ? recordOf(JSON.parse(init.body)) : {};
  return changes.reduce((before, change) => change(before), body);
}

/** Null: the refusal is about something else. */
function changeFor(said: string, body: WireRecord): Change | null {
  if (!refusing.test(said) || ofConversation.test(said)) return null;
  const name = options.find((option) => option in body && isNamed(option, said));
  if (name === undefined) return null;
  const value = body[name];
  if (name === "max_tokens" && said.includes(newer)) return renamed;
  if (typeof value === "number" && name.startsWith("max_")) return lowered(name, value, said);
  return effortChange(name, value, said) ?? ((before) => without(before, [name]));
}

const newer = "max_completion_tokens";

function renamed({ max_tokens: limit, ...body }: WireRecord): WireRecord {
  return limit === undefined ? body : { ...body, [newer]: limit };
}

function isNamed(option: Option, said: string): boolean {
  return new RegExp(words[option] ?? `\\b${option.replaceAll("_", "_?")}\\b`, "i").test(said);
}

/** To what the endpoint says is the most; without a limit where it says nothing, unless the wire must have one. */
function lowered(name: Option, value: number, said: string): Change | null {
  const numbers = (said.match(/\d+/g) ?? []).map(Number).filter((number) => number >= 256 && number < value);
  const limit = Math.max(...numbers);
  if (numbers.length > 0)
    return (body) => (name in body ? { ...body, [name]: Math.min(Number(body[name]), limit) } : body);
  return name === "max_tokens" ? null : (body) => without(body, [name]);
}

/** To the effort next to the one that was asked for, where the endpoint says which ones it knows; what stands beside it stays. */
function effortChange(name: Option, value: unknown, said: string): Change | null {
  const isWord = name === "reasoning_effort";
  const asked = textOf(isWord ? value : recordOf(value)["effort"]);
  if (!ranks.includes(asked)) return null;
  const best = nextTo(asked, said);
  return (body) => {
    const rest = isWord ? {} : without(recordOf(body[name]), ["effort"]);
    const made = best === undefined ? rest : { ...rest, effort: best };
    if (!(name in body) || Object.keys(made).length === 0) return without(body, [name]);
    return { ...body, [name]: isWord ? best : made };
  };
}

const ranks = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

function nextTo(asked: string, said: string): string | undefined {
  const known = ranks.filter((rank) => rank !== asked && new RegExp(`["'\`]${rank}\\\\?["'\`]`).test(said));
  const distance = (rank: string): number => Math.abs(ranks.indexOf(rank) - ranks.indexOf(asked));
  return known.toSorted((a, b) => distance(a) - distance(b))[0];
}
