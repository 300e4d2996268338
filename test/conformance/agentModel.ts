// A model that gives the replies of a case, as events of the engine's port, and remembers what it was asked.
import * as z from "zod";
import { systemClock } from "../../src/compose.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/engine/ports.ts";
import type { Surroundings } from "../../src/invoke.ts";

/** How a request for a summary begins. */
export const says = { summarising: "You are given the earlier part of a conversation" } as const;

const Called = z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) });
const Chat = z.object({
  choices: z
    .array(z.object({ message: z.object({ content: z.string().nullish(), tool_calls: z.array(Called).nullish() }) }))
    .min(1),
});

/** A reply of Chat Completions as what a stream of it gives. */
export function replyOf(response: unknown): readonly ModelEvent[] {
  const [choice] = Chat.parse(response).choices;
  const text = choice?.message.content ?? "";
  return reply(
    text,
    (choice?.message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
  );
}

export function reply(
  text: string,
  calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[],
): readonly ModelEvent[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...calls.flatMap((call): ModelEvent[] => [
      { type: "call:start", id: call.id, name: call.name },
      { type: "call", call },
    ]),
    { type: "finish", reason: calls.length > 0 ? "calls" : "stop" },
  ];
}

interface Scripted {
  readonly requests: readonly ModelRequest[];
  /** @param started told of the number of each request, from 1 */
  model(started?: (number: number) => void): Model;
}

export function scripted(replies: readonly (readonly ModelEvent[])[], window = 128_000): Scripted {
  const requests: ModelRequest[] = [];
  let next = 0;
  return {
    requests,
    model: (started) => ({
      id: "scripted",
      contextWindow: window,
      async *stream(request) {
        requests.push(structuredClone(request));
        await Promise.resolve();
        if (request.system.startsWith(says.summarising)) return yield* reply("Rome was talked about.", []);
        const events = replies[next++];
        started?.(next);
        yield* events ?? reply("The case has no further reply.", []);
      },
    }),
  };
}

export function around(model: Model, library: Surroundings["library"] = { roots: [] }): Surroundings {
  return { model: () => Promise.resolve(model), library, clock: systemClock, log: () => undefined };
}
