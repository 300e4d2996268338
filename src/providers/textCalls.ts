// A Model that finds out whether its endpoint knows tools: where it does not, calls are read from the model's text from then on.
import type { Model, ModelEvent, ModelRequest } from "../engine/ports.ts";
import type { Failure } from "../protocol/errors.ts";

/** Whether a request was refused because of its tools. */
export function refusesTools({ code, message }: Failure): boolean {
  return (
    (code === "request_refused" || code === "provider_failed" || code === "model_not_found") &&
    /\btools?\b|tool[_ -]?(choice|call|use)|function[_ -]?call/i.test(message) &&
    /not support|unsupported|no endpoints|not (enabled|available|allowed)|requires?\b|unknown|unrecognized|extra/i.test(
      message,
    )
  );
}

/**
 * @param native the model with the tools of its endpoint
 * @param text the same model with tools explained in words
 */
export function findingTools(native: Model, text: Model): Model {
  let refused = false;
  return {
    ...native,
    // In words no endpoint holds an answer to a form.
    structures: (schema) => !refused && native.structures?.(schema) === true && text.structures?.(schema) === true,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      if (refused) return yield* text.stream(request, signal);
      for await (const event of native.stream(request, signal)) {
        if (request.tools.length > 0 && event.type === "error" && refusesTools(event.failure)) {
          refused = true;
          break;
        }
        yield event;
      }
      if (refused) yield* text.stream(request, signal);
    },
  };
}
