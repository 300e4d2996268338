// What a person can do with a message they have sent: write it anew, or go on from there, each in a copy of the session.
import { useEffect, useRef } from "preact/hooks";
import type { ToHost } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { IconButton } from "./icon.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly messageId: string;
}

type Action = "message:edit" | "message:fork";

const keys: Readonly<Record<string, Action>> = { e: "message:edit", f: "message:fork" };

export function MessageActions({ messageId }: Props) {
  const { store } = useTools();
  const box = useRef<HTMLSpanElement>(null);
  const act = (type: Action): void => store.post({ type, messageId } satisfies ToHost);
  useEffect(() => {
    const row = box.current?.closest<HTMLElement>("[data-row]");
    if (!row) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      const type = keys[event.key.toLowerCase()];
      if (event.target !== row || type === undefined || event.repeat) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      act(type);
    };
    row.addEventListener("keydown", onKeyDown);
    return () => row.removeEventListener("keydown", onKeyDown);
  });
  return (
    <span ref={box} class="message-actions">
      <IconButton
        name="edit"
        label={t("Edit and run again, in a copy of this session (E)")}
        onClick={() => act("message:edit")}
      />
      <IconButton
        name="repo-forked"
        label={t("Fork from here: go on in a copy of this session (F)")}
        onClick={() => act("message:fork")}
      />
    </span>
  );
}
