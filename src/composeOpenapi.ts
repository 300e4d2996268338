// How requests of openapi tools leave: only to hosts that rules or a person allow, with a key for none but the one that was asked about.
import type { Outside, Sender } from "./agents/openapiTools.ts";
import { keyOfTool, refuseForeign, type Doors } from "./composeEndpoint.ts";
import type { Reached } from "./engine/ports.ts";
import { LoopError } from "./protocol/errors.ts";
import type { Rule } from "./protocol/rules.ts";
import type { AskHost } from "./scope/hostWay.ts";
import { strictest } from "./scope/linePolicy.ts";
import { sendOut, type OutAnswer } from "./scope/sendOut.ts";

/** Bytes of an answer, and of a document. */
const longest = { answer: 1_000_000, document: 6_000_000 };
/** Milliseconds that a document may take. */
const patience = 20_000;
const mostRedirects = 5;

interface OutsideParts {
  readonly doors: Doors;
  /** Who is asked about the host of a document. */
  readonly forDocument: (url: URL, sender: Sender) => AskHost;
  /** Who is asked about the host of a call; absent: its run. */
  readonly forCall?: (url: URL, sender: Sender) => AskHost;
}

/**
 * In a workspace: its rules decide, and where they say nothing, of a document whoever confirms endpoints.
 * @param calls who is asked about the host of a call: the person in its run, or, where nobody decides about calls, as of a document
 */
export function outsideOf(doors: Doors, rules: () => readonly Rule[], calls: "inRun" | "alone"): Outside {
  const by =
    (wants: "document" | "request") =>
    (url: URL, sender: Sender): AskHost => {
      const confirmed = confirming(doors, wants, sender);
      return async ({ host, port, ruled }) => {
        const said = strictest({ rules: rules(), narrowing: [] }, { kind: "host", host, port });
        if (said?.decision === "allow") return { kind: "allowed" };
        if (said?.decision === "deny") return refused("a rule denies it");
        return ruled ? refused("no rule names it") : confirmed(url);
      };
    };
  return createOutside({ doors, forDocument: by("document"), ...(calls === "alone" && { forCall: by("request") }) });
}

/** For a caller who names all that may be reached: an address that a name leads to must be among it as well, if it is not of the world. */
export function outsideBy(doors: Doors): Outside {
  const by =
    (wants: "document" | "request") =>
    (url: URL, sender: Sender): AskHost => {
      const confirmed = confirming(doors, wants, sender);
      return ({ host, port }) => confirmed(new URL(`${url.protocol}//${host}:${port}`));
    };
  return createOutside({ doors, forDocument: by("document"), forCall: by("request") });
}

function confirming(
  { confirm }: Doors,
  wants: "document" | "request",
  { tool: name, file, variables }: Sender,
): (url: URL) => Promise<Reached> {
  return async ({ origin }) => {
    const allowed = await confirm?.({ origin, file, variables, tool: { name, wants } });
    return allowed === true ? { kind: "allowed" } : refused("it was not allowed");
  };
}

function refused(why: string): Extract<Reached, { kind: "refused" }> {
  return { kind: "refused", why };
}

function createOutside({ doors, forDocument, forCall }: OutsideParts): Outside {
  return {
    fetchText: (url, sender) => fetchText(url, foreign(url, sender) ?? forDocument(url, sender)),
    keyFor: (url, sender, written) => keyOfTool(url, { ...sender, written }, doors),
    send: (request, sender, { reach, signal }) => {
      const { url } = request;
      const own = forCall?.(url, sender) ?? ((target): Promise<Reached> => reach(target, signal));
      return sendOut(request, { ask: foreign(url, sender) ?? own, limit: longest.answer, signal });
    },
  };
}

/** Nothing goes to one maker where a file has read the key of another (as for endpoints). */
function foreign(url: URL, { file, variables }: Sender): AskHost | null {
  try {
    refuseForeign({ file, variables }, url);
    return null;
  } catch (error) {
    if (!(error instanceof LoopError)) throw error;
    return () => Promise.resolve(refused("its agent has read a key that belongs to another host"));
  }
}

type Fetched = Awaited<ReturnType<Outside["fetchText"]>>;

/** Follows a server to other pages of its own. */
async function fetchText(from: URL, ask: AskHost): Promise<Fetched> {
  const signal = AbortSignal.timeout(patience);
  let url = from;
  for (let hop = 0; hop <= mostRedirects; hop++) {
    const headers = { accept: "application/json, application/yaml;q=0.9, */*;q=0.5" };
    const answer = await sendOut({ method: "GET", url, headers, body: null }, { ask, limit: longest.document, signal });
    const next = placeOf(answer, url);
    if (next === null) return textOf(answer);
    if (next.origin !== from.origin) return { why: `is sent on to ${next.origin}, which is not followed` };
    url = next;
  }
  return { why: "is sent on again and again" };
}

function placeOf(answer: OutAnswer, url: URL): URL | null {
  if (answer.kind !== "answered" || answer.location === null || answer.status < 300 || answer.status > 399) return null;
  return URL.parse(answer.location, url.href);
}

function textOf(answer: OutAnswer): Fetched {
  switch (answer.kind) {
    case "refused":
      return { why: `was not fetched: ${answer.why}` };
    case "failed":
      return { why: `could not be fetched: ${answer.why}` };
    case "answered":
      if (answer.status !== 200) return { why: `could not be fetched: its server answered with HTTP ${answer.status}` };
      return answer.cut ? { why: "is larger than five megabytes" } : { text: answer.body.toString("utf8") };
  }
}
