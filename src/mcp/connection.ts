// One connection to a server, by the protocol's own library. Loaded when the first server is used: it is large.
import {
  Client,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type ClientOptions,
  type Tool,
  type Transport,
} from "@modelcontextprotocol/client";
import { boundedFetch } from "./boundedFetch.ts";
import { overPipes, type ServerProcess } from "./pipes.ts";

/** How a server is reached, with every value filled in. */
export type Way =
  | { readonly kind: "program"; readonly start: () => Promise<ServerProcess> }
  | { readonly kind: "address"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A tool as its server describes it. */
export type ListedTool = Tool;

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly progress: (words: string) => void;
}

export interface Connection {
  /** All of its tools, over all pages. @throws Lost */
  list(signal: AbortSignal): Promise<readonly ListedTool[]>;
  /** @throws Lost */
  call(tool: ListedTool, params: Readonly<Record<string, unknown>>, options: CallOptions): Promise<CallToolResult>;
  /** It has said that its tools are others since they were listed last. */
  changed(): boolean;
  /** Why there is no connection any more: the end of a sentence; null while there is one. */
  lost(): string | null;
  /** Ends the server, too, where it was started here. Never rejects. */
  close(): Promise<void>;
}

/** Milliseconds that a server may take to say what it is, and to list its tools. */
const patience = 30_000;
/** After so many of them, one that does not answer the newest greeting is greeted in the older way. */
const probePatience = 10_000;
/** A call has limits of its own: those of the run. */
const unlimited = 2 ** 31 - 1;

/**
 * @param heard gets what a program says beside its messages, line by line
 * @throws with the end of a sentence, such as “it ended with code 1”; nothing is left running then
 */
export async function connect(way: Way, heard: (line: string) => void, signal: AbortSignal): Promise<Connection> {
  const first = await attempt(way, heard, { signal, greeting: "auto" });
  if ("connection" in first) return first.connection;
  // Some older programs end at a greeting that they do not know.
  const again = way.kind === "program" && first.ended && !signal.aborted;
  const second = again ? await attempt(way, heard, { signal, greeting: "legacy" }) : first;
  if ("connection" in second) return second.connection;
  throw new Error(second.why);
}

interface Attempt {
  readonly signal: AbortSignal;
  readonly greeting: "auto" | "legacy";
}

type Attempted = { readonly connection: Connection } | { readonly why: string; readonly ended: boolean };

async function attempt(way: Way, heard: (line: string) => void, { signal, greeting }: Attempt): Promise<Attempted> {
  let changed = false;
  let lost: string | null = null;
  const client = new Client(
    { name: "brain", version: "1.0.0" },
    optionsOf(greeting, () => (changed = true)),
  );
  const transport = transportOf(way, heard);
  const onclose = (): void => void (lost ??= lostReason(transport) ?? "the connection has ended");
  Object.assign(client, { onclose });
  const close = (): Promise<void> => client.close().catch(() => undefined);
  const stop = (): void => void transport.close();
  signal.addEventListener("abort", stop);
  try {
    await client.connect(transport, { signal, timeout: patience });
  } catch (error) {
    const why = lostReason(transport) ?? inWords(error);
    const ended = lostReason(transport) !== null;
    await Promise.all([close(), transport.close().catch(() => undefined)]);
    return { why, ended };
  } finally {
    signal.removeEventListener("abort", stop);
  }
  const asked = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const why = lostReason(transport) ?? lost ?? inWords(error);
      // Servers at an address forget whom they have greeted when they start anew.
      if (error instanceof SdkHttpError || error instanceof TypeError) {
        lost ??= why;
        void close();
      }
      throw new Error(why, { cause: error });
    }
  };
  const connection: Connection = {
    list: (stop) =>
      asked(async () => {
        changed = false;
        if (!client.getServerCapabilities()?.tools) return [];
        const { tools } = await client.listTools({}, { cacheMode: "refresh", signal: stop, timeout: patience });
        return tools;
      }),
    call: (tool, params, { signal: stop, progress }) =>
      asked(() => {
        const options = { signal: stop, timeout: unlimited, toolDefinition: withoutOutput(tool) };
        const onprogress = (step: Progress): void => progress(stepInWords(step));
        return client.callTool({ name: tool.name, arguments: params }, { ...options, onprogress });
      }),
    changed: () => changed,
    lost: () => lost,
    close,
  };
  return { connection };
}

/** What is structured in an answer is checked where the answer is read: a wrong one is told, and not thrown away. */
function withoutOutput({ outputSchema: _own, ...tool }: ListedTool): ListedTool {
  return tool;
}

function optionsOf(greeting: Attempt["greeting"], onChanged: () => void): ClientOptions {
  return {
    capabilities: {},
    versionNegotiation: { mode: greeting, probe: { timeoutMs: probePatience } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    // Never asked: the library is told of no schema of results. Its own would be made at once, and is large.
    jsonSchemaValidator: {
      getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not checked here" }),
    },
  };
}

function transportOf(way: Way, heard: (line: string) => void): Transport {
  if (way.kind === "program") return overPipes(way.start, heard);
  const requestInit = { headers: way.headers };
  return new StreamableHTTPClientTransport(new URL(way.url), { requestInit, fetch: boundedFetch() });
}

function lostReason(transport: Transport): string | null {
  return "lost" in transport && typeof transport.lost === "function" ? String(transport.lost() ?? "") || null : null;
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function stepInWords({ progress, total, message }: Progress): string {
  return message?.slice(0, longestReason) ?? (total === undefined ? String(progress) : `${progress} of ${total}`);
}

const longestReason = 500;

/** The end of a sentence. */
function inWords(error: unknown): string {
  // That a greeting failed says nothing: why it did is below.
  if (error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed && error.cause instanceof Error)
    return inWords(error.cause);
  if (error instanceof SdkHttpError) return httpInWords(error.status);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return "it did not answer in time";
  if (!(error instanceof Error)) return String(error).slice(0, longestReason);
  if (error.name === "ZodError" || error.name === "$ZodError") return "what it answers is not of the protocol's form";
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : "";
  if (error instanceof TypeError) return `it cannot be reached${cause}`;
  return error.message.slice(0, longestReason);
}

function httpInWords(status: number): string {
  if (status === 401 || status === 403) return `it refuses the request (${status}): check its headers`;
  if (status === 404 || status === 405) return `its address does not speak Streamable HTTP (${status}): check its url`;
  return `it answers with an error (${status})`;
}
