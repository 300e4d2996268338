// A fetch that sends a request again without the option that its endpoint has refused, and all like it without that from the start.
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

/** What shows thoughts and does not make them: it goes alone. OpenAI gives summaries to verified organisations only. */
const views = [
  ["reasoning", "summary", /\breasoning[._ ]summar/i],
  ["thinking", "display", /\bdisplay\b/i],
] as const satisfies readonly (readonly [Option, string, RegExp])[];

const refusing =
  /not (?:\w+ )?(?:support|permit|allow|accept|recogni|available)|unsupported|unrecogni|unknown|unexpected|extra|forbidden|deprecated|cannot|can't|invalid|incompatible|at most|must be|match|too large|maximum|only/i;

/** What is wrong with the conversation, or its length, is no matter of options. */
const ofConversation = /messages?[.[]\s*\d|input\[\d|signature|context[ _](?:length|window|limit|size)/i;

/** Makes another body of one. */
export type Change = (body: WireRecord) => WireRecord;

/** A server that refuses what it has named itself would be asked for ever. */
const most = 7;

/** Makes the fetch; what has helped is added to what was learnt before (PROMPTY-7-2). */
export function withoutRefused(send: typeof fetch, learnt: { changes: readonly Change[] }): typeof fetch {
  return async (input, init) => {
    const before = learnt.changes;
    const more: Change[] = [];
    for (;;) {
      const changes = [...before, ...more];
      const sent = changes.length === 0 ? init : { ...init, body: JSON.stringify(changed(init, changes)) };
      const response = await send(input, sent);
      if (response.status !== 400 && response.status !== 422) {
        if (response.ok && more.length > 0) learnt.changes = [...learnt.changes, ...more];
        return response;
      }
      const said = await response.text();
      const change = more.length < most ? changeFor(said, changed(init, changes)) : null;
      const { status, headers } = response;
      if (!change) return new Response(said, { status, headers });
      more.push(change);
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
  const view = views.find(([option, member, named]) => member in recordOf(body[option]) && named.test(said));
  if (view) return withoutView(view);
  const name = options.find((option) => option in body && isNamed(option, said));
  return name === undefined ? null : changeOf(name, { said, body });
}

function changeOf(name: Option, { said, body }: Refused): Change | null {
  const value = body[name];
  if (name === "max_tokens" && said.includes(newer)) return renamed;
  const leftOut: Change = (before) => without(before, [name]);
  if (typeof value === "number" && name.startsWith("max_")) {
    const limit = limitIn(said, value);
    if (limit !== undefined) return lowered(name, limit);
    return name === "max_tokens" ? null : onlyFor(name, { said, body }, leftOut);
  }
  return onlyFor(name, { said, body }, effortChange(name, value, said) ?? leftOut);
}

interface Refused {
  readonly said: string;
  readonly body: WireRecord;
}

/** Another value may be taken, and so may this one where what was refused together with it is not there. */
function onlyFor(name: Option, { said, body }: Refused, change: Change): Change {
  const beside = options.filter((other) => other !== name && other in body && isNamed(other, said));
  const asked = askedBy(body, name);
  return (later) => (askedBy(later, name) === asked && beside.every((other) => other in later) ? change(later) : later);
}

function askedBy(body: WireRecord, name: Option): unknown {
  return effortIn(name, body[name]) ?? JSON.stringify(body[name]);
}

function withoutView([option, member]: (typeof views)[number]): Change {
  return (body) => {
    const rest = without(recordOf(body[option]), [member]);
    return Object.keys(rest).length > 0 ? { ...body, [option]: rest } : without(body, [option]);
  };
}

const newer = "max_completion_tokens";

function renamed({ max_tokens: limit, ...body }: WireRecord): WireRecord {
  return limit === undefined ? body : { ...body, [newer]: limit };
}

function isNamed(option: Option, said: string): boolean {
  return new RegExp(words[option] ?? `\\b${option.replaceAll("_", "_?")}\\b`, "i").test(said);
}

/** What the endpoint says is the most; undefined: it does not. */
function limitIn(said: string, value: number): number | undefined {
  const numbers = (said.match(/\d+/g) ?? []).map(Number).filter((number) => number >= 256 && number < value);
  return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

function lowered(name: Option, limit: number): Change {
  return (body) => (name in body ? { ...body, [name]: Math.min(Number(body[name]), limit) } : body);
}

/** To the effort next to the one that was asked for, where the endpoint says which ones it knows; what stands beside it stays. */
function effortChange(name: Option, value: unknown, said: string): Change | null {
  const asked = effortIn(name, value);
  if (asked === undefined) return null;
  const isWord = name === effortWord;
  const best = nextTo(asked, said);
  return (body) => {
    const rest = isWord ? {} : without(recordOf(body[name]), ["effort"]);
    const made = best === undefined ? rest : { ...rest, effort: best };
    if (!(name in body) || Object.keys(made).length === 0) return without(body, [name]);
    return { ...body, [name]: isWord ? best : made };
  };
}

const effortWord = "reasoning_effort";

function effortIn(name: Option, value: unknown): string | undefined {
  const asked = textOf(name === effortWord ? value : recordOf(value)["effort"]);
  return ranks.includes(asked) ? asked : undefined;
}

const ranks = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

function nextTo(asked: string, said: string): string | undefined {
  const known = ranks.filter((rank) => rank !== asked && new RegExp(`["'\`]${rank}\\\\?["'\`]`).test(said));
  const distance = (rank: string): number => Math.abs(ranks.indexOf(rank) - ranks.indexOf(asked));
  return known.toSorted((a, b) => distance(a) - distance(b))[0];
}
