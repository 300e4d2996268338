// Sending while a run is on: into the queue, into the run, or in its place.
import { useRef, useState } from "preact/hooks";
import type { SubmitHow } from "../src/protocol/wire.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Icon } from "./icon.tsx";
import { WaysMenu } from "./waysMenu.tsx";
import { t } from "./l10n.ts";

/** Queues with one press; the arrow beside it opens the other ways. */
export function SendWhileRunning() {
  const { store } = useTools();
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const send = (how: SubmitHow): void => {
    setOpen(false);
    store.submit(store.state().ui.draft, how);
    // There is nothing more to send, so the button that had the focus goes.
    focusComposer();
  };
  const close = (): void => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div
      ref={box}
      class="send-ways"
      onFocusOut={(event) => {
        const { relatedTarget } = event;
        if (!(relatedTarget instanceof Node && box.current?.contains(relatedTarget))) setOpen(false);
      }}
    >
      <button
        type="button"
        class="send"
        title={t("Queue: sent when this run has ended (Enter)")}
        aria-label={t("Queue")}
        onClick={() => send("queue")}
      >
        <Icon name="list-ordered" />
      </button>
      <button
        ref={opener}
        type="button"
        class="send more-ways"
        title={t("Other ways to send it")}
        aria-label={t("Other ways to send it")}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <Icon name="chevron-up" />
      </button>
      {open && <WaysMenu onChoose={send} onClose={close} />}
    </div>
  );
}
