// What goes to an endpoint and what comes back, written down without keys; and an endpoint made of what was written down.
import * as z from "zod";

const Exchange = z.object({
  type: z.literal("exchange"),
  /** Its body as JSON; headers are not kept. */
  request: z.object({ url: z.string(), body: z.unknown() }),
  response: z.union([
    z.object({
      status: z.number(),
      headers: z.record(z.string(), z.string()),
      /** As they arrived, each with the milliseconds since the one before. */
      chunks: z.array(z.object({ after: z.number(), text: z.string() })),
      /** `broken`: the connection was lost, or whoever asked has left. */
      ending: z.enum(["end", "broken"]),
    }),
    /** There was no answer. */
    z.object({ error: z.string(), code: z.string() }),
  ]),
});
type Exchange = z.infer<typeof Exchange>;

const Setup = z.looseObject({ type: z.literal("setup"), provider: z.string(), baseUrl: z.string(), model: z.string() });
/** The first line of a record: which model was asked. */
export type Setup = z.infer<typeof Setup>;

export interface RecordOptions {
  /** Takes one line, without its newline. */
  readonly write: (line: string) => void;
  /** Takes out what must not be written down. */
  readonly scrub: (text: string) => string;
  /** Milliseconds. */
  readonly now: () => number;
}

/** Headers that change how an answer is read; others may say who somebody is. */
const told = ["content-type", "retry-after", "retry-after-ms"];

/** The same fetch, which writes each exchange down when it is over, however it ends. */
export function recordingFetch(send: typeof fetch, options: RecordOptions): typeof fetch {
  return async (input, init) => {
    const request = requestOf(input, init);
    const write = (response: Exchange["response"]): void =>
      options.write(scrubbed({ type: "exchange", request, response }, options));
    try {
      const response = await send(input, init);
      if (response.body)
        return new Response(ReadableStream.from(copied(response, response.body, { ...options, write })), response);
      write({ ...headOf(response), chunks: [], ending: "end" });
      return response;
    } catch (error) {
      write({ error: error instanceof Error ? error.message : String(error), code: codeOf(error) });
      throw error;
    }
  };
}

interface Copying extends Pick<RecordOptions, "now"> {
  readonly write: (response: Exchange["response"]) => void;
}

async function* copied(
  response: Response,
  body: AsyncIterable<Uint8Array>,
  { now, write }: Copying,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const chunks: { after: number; text: string }[] = [];
  let ending: "end" | "broken" = "broken";
  let last = now();
  try {
    for await (const bytes of body) {
      chunks.push({ after: now() - last, text: decoder.decode(bytes, { stream: true }) });
      last = now();
      yield bytes;
    }
    ending = "end";
  } finally {
    write({ ...headOf(response), chunks, ending });
  }
}

function requestOf(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Exchange["request"] {
  const url = new URL(input instanceof Request ? input.url : input);
  // Some endpoints take their key in the address.
  url.search = "";
  return { url: url.href, body: typeof init?.body === "string" ? parsed(init.body) : null };
}

function headOf({ status, headers }: Response): { readonly status: number; readonly headers: Record<string, string> } {
  return { status, headers: Object.fromEntries([...headers].filter(([name]) => told.includes(name))) };
}

/** A secret that two chunks share is found only when they are one. */
function scrubbed(exchange: Exchange, { scrub }: RecordOptions): string {
  const { response } = exchange;
  const whole = "chunks" in response ? response.chunks.map(({ text }) => text).join("") : "";
  const pieces = "chunks" in response ? response.chunks.map(({ text }) => scrub(text)).join("") : "";
  const joined =
    scrub(whole) === pieces
      ? exchange
      : { ...exchange, response: { ...response, chunks: [{ after: 0, text: whole }] } };
  return JSON.stringify(joined, (_name, value: unknown) => (typeof value === "string" ? scrub(value) : value));
}

function codeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : null;
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface Recorded {
  readonly setup: Setup | null;
  /** Answers each request with the next recorded answer, whatever is asked, as fast as it is read. */
  readonly fetch: typeof fetch;
}

/**
 * Reads a record.
 * @throws an Error with a sentence for a text that is none
 */
export function readRecord(text: string): Recorded {
  const lines = text.split("\n").flatMap((line, index) => (line.trim() === "" ? [] : [lineOf(line, index + 1)]));
  const setup = lines.find((line) => line.type === "setup") ?? null;
  const exchanges = lines.filter((line) => line.type === "exchange");
  let next = 0;
  const answer: typeof fetch = (_input, init) => {
    init?.signal?.throwIfAborted();
    const exchange = exchanges[next++];
    if (!exchange)
      return Promise.reject(new Error(`the record has ${exchanges.length} answers, and one more is asked for`));
    const { response } = exchange;
    if (!("error" in response)) return Promise.resolve(answerOf(response));
    const cause = Object.assign(new Error(response.error), { code: response.code });
    return Promise.reject(new TypeError(response.error, { cause }));
  };
  return { setup, fetch: answer };
}

function lineOf(line: string, number: number): Setup | Exchange {
  const read = z.union([Setup, Exchange]).safeParse(parsed(line));
  if (!read.success) throw new Error(`line ${number} is not of a record of a model`);
  return read.data;
}

function answerOf({ status, headers, chunks, ending }: Extract<Exchange["response"], { status: number }>): Response {
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const { text } of chunks) yield new TextEncoder().encode(text);
    if (ending === "broken") throw new TypeError("terminated");
  }
  return new Response(ReadableStream.from(body()), { status, headers });
}
