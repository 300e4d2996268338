// A fetch that sends a request again without the option that its endpoint has refused, and all further ones without it from the start.
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

/** Words that are too common to be an option's name wherever they stand. */
const common: ReadonlySet<Option> = new Set(["seed", "stop", "reasoning", "thinking", "output_config"]);

const refusing =
  /not (?:\w+ )?(?:support|permit|allow|accept|recogni|available)|unsupported|unrecogni|unknown|unexpected|extra|forbidden|deprecated|cannot|can't|invalid|incompatible|at most|must be|too large|maximum|only/i;

/** What is wrong with the conversation, or its length, is no matter of options. */
const ofConversation = /messages?[.[]\s*\d|input\[\d|signature|context[ _](?:length|window|limit|size)/i;

/** Members of a body as the endpoint takes them; undefined: not at all. */
type Changes = Readonly<Partial<Record<Option, unknown>>>;

/** Makes the fetch; what it has learnt it keeps as long as it lives (PROMPTY-7-2). */
export function withoutRefused(send: typeof fetch): typeof fetch {
  let changes: Changes = {};
  return async (input, init) => {
    for (;;) {
      const learnt = Object.keys(changes).length > 0;
      const response = await send(input, learnt ? { ...init, body: JSON.stringify(changed(init, changes)) } : init);
      if (response.status !== 400 && response.status !== 422) return response;
      const said = await response.text();
      const more = changesFor(said, changed(init, changes));
      const { status, headers } = response;
      if (!more) return new Response(said, { status, headers });
      changes = { ...changes, ...more };
    }
  };
}

function changed(init: RequestInit | undefined, changes: Changes): WireRecord {
  const body = typeof init?.body === "string" ? recordOf(JSON.parse(init.body)) : {};
  const members = Object.entries({ ...body, ...changes });
  // Nothing is asked for that was not asked for before.
  const asked = (name: string): boolean => name in body || (name === renamed && "max_tokens" in body);
  return Object.fromEntries(members.filter(([name, value]) => value !== undefined && asked(name)));
}

const renamed = "max_completion_tokens";

/** Null: the refusal is about something else. */
function changesFor(said: string, body: WireRecord): Changes | null {
  if (!refusing.test(said) || ofConversation.test(said)) return null;
  const name = options.find((option) => option in body && isNamed(option, said));
  if (name === undefined) return null;
  const value = body[name];
  if (name === "max_tokens" && said.includes(renamed)) return { max_tokens: undefined, [renamed]: value };
  if (typeof value === "number" && name.startsWith("max_")) return lowered(name, value, said);
  return { [name]: withEffort(name, value, said) };
}

function isNamed(option: Option, said: string): boolean {
  const name = option.replaceAll("_", "_?");
  const quote = "[\"'`]";
  const form = common.has(option) ? `${quote}${name}(?:\\.\\w+)*\\\\?${quote}|: ${name}\\b` : `\\b${name}\\b`;
  return new RegExp(form, "i").test(said);
}

/** To what the endpoint says is the most; without a limit where it says nothing, unless the wire must have one. */
function lowered(name: Option, value: number, said: string): Changes | null {
  const most = Math.max(
    0,
    ...(said.match(/\d+/g) ?? []).map(Number).filter((number) => number >= 256 && number < value),
  );
  if (most > 0) return { [name]: most };
  return name === "max_tokens" ? null : { [name]: undefined };
}

const ranks = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The effort next to the one that was asked for, where the endpoint says which ones it knows. */
function withEffort(name: Option, value: unknown, said: string): unknown {
  const asked = textOf(name === "reasoning_effort" ? value : recordOf(value)["effort"]);
  if (!ranks.includes(asked)) return undefined;
  const known = ranks.filter((rank) => rank !== asked && new RegExp(`["'\`]${rank}\\\\?["'\`]`).test(said));
  const distance = (rank: string): number => Math.abs(ranks.indexOf(rank) - ranks.indexOf(asked));
  const [best] = known.toSorted((a, b) => distance(a) - distance(b));
  if (best === undefined) return undefined;
  return name === "reasoning_effort" ? best : { ...recordOf(value), effort: best };
}
