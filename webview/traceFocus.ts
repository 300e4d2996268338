// From a row of a trace to what it is about in the conversation.
import type { TraceSpan } from "../src/protocol/trace.ts";
import type { Turn } from "../src/protocol/viewTurn.ts";

/** What stands for a span in the conversation, by id, the outermost first; empty: nothing does. */
export function placesOf(
  span: TraceSpan,
  spans: readonly TraceSpan[],
  { items }: Pick<Turn, "items">,
): readonly string[] {
  const inside = callsAround(span, spans);
  if (span.kind !== "request" || inside.length > 0) return inside;
  if (items.some(({ id }) => id === span.id)) return [span.id];
  const first = spans.find(({ parent }) => parent === span.id);
  return first ? callsAround(first, spans) : [];
}

/** The calls that it is part of the work of, and itself. */
function callsAround(span: TraceSpan, spans: readonly TraceSpan[]): readonly string[] {
  const above = spans.find(({ id }) => id === span.parent);
  return [...(above ? callsAround(above, spans) : []), ...(span.toolCallId === null ? [] : [span.toolCallId])];
}
