// A Model that leaves out what its endpoint refuses and the conversation can do without: images, files, and a form for the answer.
import type { Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { Failure } from "../protocol/errors.ts";
import type { Message } from "../protocol/messages.ts";
import { unsent } from "./parts.ts";

interface Part {
  /** What an endpoint says when it refuses this. */
  readonly words: RegExp;
  /** Whether the request has any of it. */
  readonly isIn: (request: ModelRequest) => boolean;
  /** The request without it. */
  readonly without: (request: ModelRequest) => ModelRequest;
}

const form: Part = {
  words: /response_format|json_schema|text\.format|output_config|output_format|structured output/i,
  isIn: ({ output }) => output !== undefined,
  without: ({ output, ...request }) => ({ ...request, system: `${request.system}\n\n${inWords(output)}` }),
};

const shown: Part = {
  words:
    /image|vision|multi-?modal|audio|\bfiles?\b|document|content (type|part|block)|media|pdf|expected a string|must be a (?:valid )?string|valid string/i,
  isIn: ({ messages }) => messages.some(hasParts),
  without: (request) => ({ ...request, messages: request.messages.map(withoutParts) }),
};

/**
 * Wraps a Model. What was refused once is left out of all further requests, because a conversation that has it in its history
 * would be refused for ever.
 */
export function yielding(model: Model): Model {
  const refused = new Set<Part>();
  return {
    ...model,
    async *stream(request, signal) {
      for (;;) {
        let sent = request;
        for (const part of refused) if (part.isIn(sent)) sent = part.without(sent);
        const part = yield* sendOnce(model, sent, { signal, refused });
        if (part === null) return;
        refused.add(part);
      }
    },
  };
}

interface Sending {
  readonly signal: AbortSignal;
  readonly refused: ReadonlySet<Part>;
}

/** Passes on a reply; gives back what it was refused for, when it can be sent without that. */
async function* sendOnce(
  model: Model,
  request: ModelRequest,
  { signal, refused }: Sending,
): AsyncGenerator<ModelEvent, Part | null> {
  let first = true;
  for await (const event of model.stream(request, signal)) {
    if (first && event.type === "error" && refuses(event.failure)) {
      const { message } = event.failure;
      const part = [form, shown].find((one) => !refused.has(one) && one.isIn(request) && one.words.test(message));
      if (part) return part;
    }
    first = false;
    yield event;
  }
  return null;
}

/** Servers say so with any status: routers have no such model then, local ones call it a failure of their own. */
function refuses({ code, message }: Failure): boolean {
  if (code === "request_refused") return true;
  return (code === "model_not_found" || code === "provider_failed") && /\bsupport|missing|mmproj/i.test(message);
}

function inWords(output: unknown): string {
  return `Answer with JSON that holds to this schema, and nothing else: ${JSON.stringify(output)}`;
}

function hasParts(message: Message): boolean {
  return message.role !== "assistant" && (message.parts ?? []).some(({ kind }) => kind !== "text");
}

/** Its words, and for each thing that is not shown a sentence in its place. */
function withoutParts(message: Message): Message {
  if (message.role === "assistant" || !hasParts(message)) return message;
  const { parts = [], ...words } = message;
  const gone = parts.filter(({ kind }) => kind !== "text").map(unsent);
  return { ...words, content: [words.content, ...gone].filter((line) => line !== "").join("\n") };
}
