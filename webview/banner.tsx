// One line above the composer for what stands in the way: Restricted Mode, or a missing key.
import type { Setup } from "../src/protocol/events.ts";
import type { ToHost } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { Button, Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface Notice {
  readonly icon: string;
  readonly text: string;
  readonly button: string;
  readonly title: string;
  readonly command: Extract<ToHost, { type: "command:run" }>["command"];
}

interface Props {
  readonly setup: Setup;
}

export function Banner({ setup }: Props) {
  const { store } = useTools();
  const notice = noticeFor(setup);
  if (!notice) return null;
  const { icon, text, button, title, command } = notice;
  return (
    <div class="banner" role="note">
      <Icon name={icon} />
      <span class="banner-text">{text}</span>
      <Button title={title} onClick={() => store.post({ type: "command:run", command })}>
        {button}
      </Button>
    </div>
  );
}

function noticeFor({ workspace, keyMissing, provider }: Setup): Notice | null {
  if (workspace === "untrusted") {
    const text = t("Restricted Mode: Brain only reads.");
    return {
      icon: "shield",
      text,
      button: t("Trust"),
      title: t("Trust this folder, so that Brain may edit and run"),
      command: "trust",
    };
  }
  if (workspace === "trusted" && keyMissing) {
    const text = t("No API key is set for {0}.", provider);
    const title = t("Set the key of this endpoint");
    return { icon: "key", text, button: t("Set API Key"), title, command: "setApiKey" };
  }
  return null;
}
