// The state of a call as a picture and as a word.
import type { CallItem } from "../src/protocol/viewCall.ts";
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

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

export const stateNames: Record<CallItem["state"], string> = {
  streaming: t("being written"),
  blocked: t("waits"),
  ready: t("ready"),
  pending: t("waits for you"),
  running: t("running"),
  succeeded: t("done"),
  failed: t("failed"),
  rejected: t("rejected"),
  denied: t("not allowed"),
  cancelled: t("stopped"),
  skipped: t("skipped"),
};

interface StateIconProps {
  readonly state: CallItem["state"];
}

export function StateIcon({ state }: StateIconProps) {
  const spins = state === "running" || state === "streaming" ? " spin" : "";
  return <Icon name={icons[state]} class={`state ${state}${spins}`} />;
}
