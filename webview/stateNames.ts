// The state of a call as a word.
import type { CallItem } from "../src/protocol/viewCall.ts";

export const stateNames: Record<CallItem["state"], string> = {
  streaming: "being written",
  blocked: "waits",
  ready: "ready",
  pending: "waits for you",
  running: "running",
  succeeded: "done",
  failed: "failed",
  rejected: "rejected",
  denied: "not allowed",
  cancelled: "stopped",
  skipped: "skipped",
};
