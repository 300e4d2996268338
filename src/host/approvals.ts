// The calls that wait for a person: each a question with one answer, from whichever place it comes first.
import type { Approval, Approve, PendingCall } from "../engine/ports.ts";
import type { Decision } from "../protocol/messages.ts";

export interface Approvals {
  /** The engine's port. */
  readonly approve: Approve;
  /** Answers a waiting call; false when it does not wait any more. */
  readonly decide: (toolCallId: string, decision: Decision) => boolean;
  /** Oldest first. */
  readonly waiting: () => readonly PendingCall[];
}

interface Waiting {
  readonly call: PendingCall;
  readonly answer: (approval: Approval) => void;
}

/** @param changed told whenever the list of waiting calls has changed */
export function createApprovals(changed: () => void): Approvals {
  const waiting = new Map<string, Waiting>();
  const forget = (id: string): void => {
    waiting.delete(id);
    changed();
  };
  return {
    approve: (call, signal) =>
      new Promise<Approval>((resolve, reject) => {
        const stopped = (): void => {
          forget(call.toolCallId);
          reject(new Error("stopped"));
        };
        if (signal.aborted) return stopped();
        signal.addEventListener("abort", stopped, { once: true });
        const answer = (approval: Approval): void => {
          signal.removeEventListener("abort", stopped);
          forget(call.toolCallId);
          resolve(approval);
        };
        waiting.set(call.toolCallId, { call, answer });
        changed();
      }),
    decide(toolCallId, decision) {
      const found = waiting.get(toolCallId);
      found?.answer({ decision, by: "person" });
      return found !== undefined;
    },
    waiting: () => [...waiting.values()].map(({ call }) => call),
  };
}
