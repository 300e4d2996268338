// From whatever an endpoint answered or the network threw to a Failure: a sentence with the host in it, and whether trying again can help.
import type { ModelEvent } from "../engine/ports.ts";
import { LoopError, toFailure, type ErrorCode } from "../protocol/errors.ts";
import { retryWait } from "./retryWait.ts";
import { isRecord, numberOf, recordOf, textOf, type WireRecord } from "./wireValue.ts";

/** Where a request went: what sentences may name, and the key that they never may. */
export interface Endpoint {
  readonly host: string;
  readonly apiKey: string;
  readonly model: string;
  /** Milliseconds since 1970: `Retry-After` may be a date. */
  readonly now: () => number;
}

export type ErrorEvent = Extract<ModelEvent, { type: "error" }>;

/** A reply that ended, or went wrong, before it was complete. */
export function brokenReply(endpoint: Endpoint, what = "broke off in the middle of the reply"): ErrorEvent {
  return event("reply_malformed", `${endpoint.host} ${what}.`, true);
}

/** A reply of which nothing arrived for too long. */
export function stalledReply(endpoint: Endpoint, silence: number): ErrorEvent {
  return event("reply_stalled", `${endpoint.host} sent nothing for ${Math.round(silence / 1000)} seconds.`, true);
}

/**
 * Reads what was thrown by the client library while connecting, or while reading the stream.
 * @param thrown an error with `status`, `headers` and `error` as the library sets them, or any other
 */
export function failureOf(thrown: unknown, endpoint: Endpoint, phase: "connecting" | "streaming"): ErrorEvent {
  const chain = [...causes(thrown)];
  const own = chain.find((link) => link instanceof LoopError);
  if (own) {
    const message = excerpt(own.message, endpoint.apiKey);
    return { type: "error", failure: { ...toFailure(own), message }, retryable: false };
  }
  const answer = isRecord(thrown) ? thrown : {};
  const body = bodyOf(answer["error"]);
  const status = numberOf(answer["status"]) ?? statusIn(body);
  if (status !== undefined || textOf(body["message"]) !== "" || isRecord(answer["error"]))
    return answered({ status, body, headers: answer["headers"] }, endpoint);
  return phase === "connecting" ? unreachable(chain, endpoint) : brokenReply(endpoint, broken(thrown));
}

/** Some libraries give the whole answer where others give its `error`. */
function bodyOf(error: unknown): WireRecord {
  if (!isRecord(error)) return { message: error };
  return withReason(isRecord(error["error"]) ? error["error"] : error);
}

/** Whoever passes requests on says only that the other has failed, and keeps its words beside that. */
function withReason(body: WireRecord): WireRecord {
  const { raw, provider_name: name } = recordOf(body["metadata"]);
  const inner = recordOf(isRecord(raw) ? raw : parsed(textOf(raw)));
  const reason = textOf(recordOf(inner["error"])["message"]) || textOf(inner["message"]) || textOf(raw);
  if (reason === "") return body;
  return { ...body, message: textOf(name) === "" ? reason : `${textOf(name)}: ${reason}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function* causes(thrown: unknown): Generator {
  for (let link = thrown, depth = 0; isRecord(link) && depth < 8; link = link["cause"], depth += 1) yield link;
}

function broken(thrown: unknown): string {
  return thrown instanceof SyntaxError ? "sent a reply that cannot be read" : "broke off in the middle of the reply";
}

const wordStatus = new Map([
  ["invalid_api_key", 401],
  ["authentication_error", 401],
  ["billing_error", 402],
  ["permission_error", 403],
  ["model_not_found", 404],
  ["not_found_error", 404],
  ["rate_limit_exceeded", 429],
  ["request_too_large", 413],
  ["rate_limit_error", 429],
  ["overloaded_error", 529],
  ["invalid_request_error", 400],
  // What a Responses stream gives as the reason of a failure that no other try can change.
  ["invalid_prompt", 400],
  ["bio_policy", 400],
  ["cyber_policy", 400],
  ["misalignment_policy_violation", 400],
  ["data_residency_mismatch", 400],
]);

/** Inside a stream there is no status: some servers give it as the code, others in a word. */
function statusIn(body: WireRecord): number | undefined {
  const code = numberOf(body["code"]) ?? numberOf(Number.parseInt(textOf(body["code"]), 10));
  if (code !== undefined && code >= 400 && code < 600) return code;
  // Of a picture that cannot be read there are a dozen words.
  if (/image/.test(textOf(body["code"]))) return 400;
  return wordStatus.get(textOf(body["code"])) ?? wordStatus.get(textOf(body["type"]));
}

interface Answer {
  readonly status: number | undefined;
  readonly body: WireRecord;
  readonly headers: unknown;
}

const overflow =
  /context[_ ]length|context[_ ](window|size)|maximum context|too many (input )?tokens|(prompt|input|request) is too (long|large)|request too large|exceeds? (the (available|maximum) (context|number of tokens)|context limit)|token limit|maximum (prompt|model) length|prompt exceeds max|range of input length/i;
const spent = /insufficient_quota|exceeded_current_quota|billing_hard_limit|insufficient_(funds|balance|credit)/i;
const unpaid = /credit balance is too low|insufficient (funds|balance|credits?)\b|have any credits|out of credits/i;
/** What some servers say with a status that tells nothing. */
const refusals: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /model_not_found|invalid_model|is not a valid model|(unknown|invalid|no such) model\b|\bmodel\b.{0,80}\b(not exist|doesn't exist|not found)\b/i,
    "model_not_found",
  ],
  [
    /(incorrect|invalid|wrong) api[ _-]?key|api[ _-]?key (is )?(not valid|invalid|expired)|authorization header/i,
    "key_rejected",
  ],
];

const codes = new Map<number, ErrorCode>([
  [401, "key_rejected"],
  [402, "quota_exhausted"],
  [403, "access_denied"],
  [404, "model_not_found"],
  [408, "provider_failed"],
  [409, "provider_failed"],
  [413, "context_overflow"],
  [429, "rate_limited"],
]);

function codeOf({ status = 500, body }: Answer, apiKey: string): ErrorCode {
  const message = textOf(body["message"]);
  const words = `${textOf(body["code"])} ${textOf(body["type"])}`;
  if (spent.test(words) || unpaid.test(message)) return "quota_exhausted";
  // What is larger than all that a minute allows will never be taken, however long one waits.
  const passes = status === 429 && !/request too large/i.test(message);
  if (!passes && overflow.test(`${words} ${message}`)) return "context_overflow";
  if (words.includes("tool_use_failed")) return "reply_malformed";
  const code = status === 400 ? codeOfRefusal(`${words} ${message}`) : (codes.get(status) ?? codeOfOther(status));
  return code === "key_rejected" && apiKey === "" ? "key_missing" : code;
}

function codeOfRefusal(said: string): ErrorCode {
  return refusals.find(([words]) => words.test(said))?.[1] ?? "request_refused";
}

function codeOfOther(status: number): ErrorCode {
  return status >= 500 ? "provider_failed" : "request_refused";
}

const transient: ReadonlySet<ErrorCode> = new Set(["rate_limited", "provider_failed", "reply_malformed"]);

function answered(answer: Answer, endpoint: Endpoint): ErrorEvent {
  const code = codeOf(answer, endpoint.apiKey);
  const retryAfter = retryWait(answer.headers, answer.body, endpoint.now());
  return {
    ...event(code, sentenceFor(code, answer, endpoint), transient.has(code)),
    ...(retryAfter !== undefined && { retryAfter }),
  };
}

function sentenceFor(code: ErrorCode, { status, body }: Answer, endpoint: Endpoint): string {
  const { host, model } = endpoint;
  const said = excerpt(textOf(body["message"]) || textOf(body["detail"]), endpoint.apiKey);
  const because = said === "" ? "." : `: ${said}`;
  const number = status === undefined ? "" : ` (${status})`;
  switch (code) {
    case "quota_exhausted":
      return `The account at ${host} has no credit left${because}`;
    case "context_overflow":
      return `The conversation is longer than ${model} can read${because}`;
    case "key_missing":
      return `${host} asks for a key.`;
    case "key_rejected":
      return `${host} does not accept this key${because}`;
    case "access_denied":
      return `${host} does not allow this key to use ${model}${because}`;
    case "model_not_found":
      return `${host} has no model “${model}” at this address${because}`;
    case "rate_limited":
      return `${host} asks for a pause${because}`;
    case "request_refused":
      return `${host} refused the request${number}${because}`;
    default:
      return `${host} failed${number}${because}`;
  }
}

/** What the server said, short, on one line, without the key should it be repeated there. Pages are not sentences. */
function excerpt(text: string, apiKey: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  if (line.startsWith("<")) return "";
  const clean = apiKey === "" ? line : line.replaceAll(apiKey, "…");
  return clean.length > 300 ? `${clean.slice(0, 299)}…` : clean;
}

function unreachable(chain: readonly unknown[], { host }: Endpoint): ErrorEvent {
  const code = chain.map((link) => textOf(recordOf(link)["code"])).find((word) => word !== "") ?? "";
  if (code.startsWith("HPE_")) return event("reply_malformed", `${host} does not answer in HTTP.`, false);
  if (/WRONG_VERSION|PACKET_LENGTH|EPROTO/.test(code))
    return event(
      "endpoint_unreachable",
      `${host} does not answer over https: does its address start with http://?`,
      false,
    );
  if (/CERT|SSL|TLS/.test(code))
    return event("endpoint_unreachable", `The certificate of ${host} is not trusted here (${code}).`, false);
  const what = /ENOTFOUND|EAI_/.test(code)
    ? `No server named ${host} was found.`
    : `${host} cannot be reached${code === "" ? "" : ` (${code})`}.`;
  return event("endpoint_unreachable", what, true);
}

function event(code: ErrorCode, message: string, retryable: boolean): ErrorEvent {
  return { type: "error", failure: toFailure(new LoopError(code, message)), retryable };
}
