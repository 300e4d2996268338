// The state of a call as a picture.
import type { CallItem } from "../src/protocol/viewCall.ts";
import { Icon } from "./icon.tsx";

const icons: Record<CallItem["state"], string> = {
  streaming: "loading",
  blocked: "circle-large-outline",
  ready: "circle-large-outline",
  pending: "question",
  running: "loading",
  succeeded: "check",
  failed: "error",
  rejected: "circle-slash",
  denied: "lock",
  cancelled: "debug-stop",
  skipped: "debug-step-over",
};

interface StateIconProps {
  readonly state: CallItem["state"];
}

export function StateIcon({ state }: StateIconProps) {
  const spins = state === "running" || state === "streaming" ? " spin" : "";
  return <Icon name={icons[state]} class={`state ${state}${spins}`} />;
}
