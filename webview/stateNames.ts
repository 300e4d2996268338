// The state of a call as a word.
import type { CallItem } from "../src/protocol/viewCall.ts";
import { t } from "./l10n.ts";

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
