// Messages that were sent and have not been seen with the host yet: nothing that a person has typed may get lost on the way.
import type { PanelEvent } from "../src/protocol/events.ts";
import type { View } from "../src/protocol/view.ts";
import type { SentPart, SubmitHow } from "../src/protocol/wire.ts";

export interface Outgoing {
  readonly text: string;
  /** `start`: no run was going on. */
  readonly how: SubmitHow | "start";
  /** Of the queued message that it was, if it was one. */
  readonly queued: string | null;
  /** The run that it starts is shown; it is kept until it is written down, should the host die before that. */
  readonly begun?: boolean;
  /** Images and PDFs with it. */
  readonly parts?: readonly SentPart[];
}

export type Outbox = readonly Outgoing[];

/** What is written back to the composer, and what is still on its way. */
export interface Sorted {
  readonly outbox: Outbox;
  readonly returned: readonly Pick<Outgoing, "text" | "parts">[];
}

/**
 * The outbox after an event of the host.
 * @param before the view that the event changes
 */
export function afterEvent(outbox: Outbox, event: PanelEvent, before: View): Sorted {
  if (outbox.length === 0) return { outbox, returned: [] };
  switch (event.type) {
    case "loop:start":
      return kept(begun(outbox, event.message));
    case "loop:context":
    case "loop:persist":
      return kept(outbox.filter((one) => !one.begun));
    case "message:user":
      return kept(withoutOne(outbox, event.content) ?? outbox);
    case "queue:changed": {
      const known = new Set(before.queue.map(({ id }) => id));
      const fresh = event.queue.filter(({ id }) => !known.has(id));
      return kept(fresh.reduce((rest, { text }) => withoutOne(rest, text) ?? rest, outbox));
    }
    case "loop:end":
      // What the host still has in its queue is the queue's again.
      return kept(outbox.filter((one) => !one.begun && !before.queue.some(({ id }) => id === one.queued)));
    case "panel:failure":
      // What goes into the run may still be read; the rest was refused.
      return returning(outbox, (one) => one.how !== "steer" && !one.begun);
    default:
      return kept(outbox);
  }
}

/** The outbox of an earlier life of the panel against what the host knows. */
export function afterSnapshot(outbox: Outbox, view: View): Sorted {
  const last = view.turns.at(-1);
  const seen = [
    ...(last ? [last.user] : []),
    ...(last?.items ?? []).flatMap((item) => (item.kind === "user" ? [item.text] : [])),
    ...view.queue.flatMap(({ id, text }) => (outbox.some(({ queued }) => queued === id) ? [] : [text])),
  ];
  const all = outbox.map(({ begun: _begun, ...one }): Outgoing => one);
  const rest = seen.reduce<Outbox>((left, text) => withoutOne(left, text) ?? left, all);
  return returning(rest, (one) => one.how !== "steer");
}

/** True for a message that makes a run of its own at once. */
export function startsRun({ how }: Outgoing): boolean {
  return how === "start" || how === "interrupt";
}

/** The first of that text has begun its run; where the host has tidied it, whatever starts one. */
function begun(outbox: Outbox, text: string): Outbox {
  const index = indexOf(outbox, text);
  return outbox.map((one, at) => ((index === -1 ? startsRun(one) : at === index) ? { ...one, begun: true } : one));
}

function withoutOne(outbox: Outbox, text: string): Outbox | null {
  const index = indexOf(outbox, text);
  return index === -1 ? null : outbox.toSpliced(index, 1);
}

function indexOf(outbox: Outbox, text: string): number {
  return outbox.findIndex((one) => !one.begun && one.text.trim() === text.trim());
}

function kept(outbox: Outbox): Sorted {
  return { outbox, returned: [] };
}

function returning(outbox: Outbox, goesBack: (one: Outgoing) => boolean): Sorted {
  return {
    outbox: outbox.filter((one) => !goesBack(one)),
    // What was queued is still the host's.
    returned: outbox.filter((one) => goesBack(one) && one.queued === null),
  };
}
