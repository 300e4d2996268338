// From what the editor threw about a request to one of its models to a Failure with a next step.
import type { ErrorCode } from "../protocol/errors.ts";
import { LoopError, toFailure } from "../protocol/errors.ts";
import { failureOf, type ErrorEvent } from "./providerFailure.ts";
import { isRecord, textOf, type WireRecord } from "./wireValue.ts";

interface Asked {
  /** Its name for people. */
  readonly model: string;
  readonly now: () => number;
}

/**
 * Reads the editor's error: its `code`, and the name and the words of what is behind it.
 * @param thrown anything
 */
export function editorFailure(thrown: unknown, { model, now }: Asked): ErrorEvent {
  const links = [...causes(thrown)];
  const words = links.map(({ name, code, message }) => `${textOf(name)} ${textOf(code)} ${textOf(message)}`).join(" ");
  const said = links.map(({ message }) => textOf(message).trim()).findLast((text) => text !== "") ?? "";
  const because = said === "" ? "." : `: ${said.slice(0, 300)}`;
  const code = codeOf(new Set(links.map((link) => textOf(link["code"]))), words);
  if (code) return failed(code, `${sentences[code].replace("%", model)}${because}`);
  return failureOf(
    { error: { message: said === "" ? String(thrown) : said } },
    { host: "VS Code", apiKey: "", model, now },
    "streaming",
  );
}

const sentences = {
  consent_missing: "VS Code has not allowed Brain to use %",
  model_not_found: "VS Code does not have % any more",
  quota_exhausted: "VS Code lets nothing more be asked of % now",
  rate_limited: "% asks for a pause",
  editor_models_missing: "VS Code is not signed in to the service of %",
} as const satisfies Partial<Record<ErrorCode, string>>;

function codeOf(codes: ReadonlySet<string>, words: string): keyof typeof sentences | null {
  if (codes.has("NoPermissions")) return "consent_missing";
  if (codes.has("NotFound")) return "model_not_found";
  if (/ChatRateLimited|rate.?limit|too many requests/i.test(words)) return "rate_limited";
  if (codes.has("Blocked") || /ChatQuotaExceeded|quota/i.test(words)) return "quota_exhausted";
  return /\bsign(ed)? ?in\b|\blog ?in\b|GitHubLoginFailed/i.test(words) ? "editor_models_missing" : null;
}

function* causes(thrown: unknown): Generator<WireRecord> {
  for (let link = thrown, depth = 0; isRecord(link) && depth < 8; link = link["cause"], depth += 1) yield link;
}

function failed(code: ErrorCode, message: string): ErrorEvent {
  return { type: "error", failure: toFailure(new LoopError(code, message)), retryable: code === "rate_limited" };
}
