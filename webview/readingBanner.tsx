// One line above the composer while another window has the session: who it is, and how to get it.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Reading } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Button, Icon } from "./icon.tsx";
import { readingWords } from "./endWords.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly reading: Reading;
}

export function ReadingBanner({ reading }: Props) {
  const { store } = useTools();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    // Whoever has asked for the session wants to write in it.
    return () => void (element?.contains(document.activeElement) && focusComposer());
  }, []);
  const waits = reading.state === "asked";
  return (
    <div ref={box} class="banner reading" role="note">
      <Icon name={waits ? "sync" : "eye"} />
      <span class="banner-text">{readingWords(reading)}</span>
      <Button
        title={waits ? t("It was asked to stop") : t("Stop what runs there, keep what it has done, and write here")}
        // A button that is gone while it has the focus would lose the reader's place.
        onClick={() => !waits && store.post({ type: "session:takeOver" })}
      >
        {reading.state === "silent" ? t("Ask Again") : waits ? t("Waiting…") : t("Take Over")}
      </Button>
    </div>
  );
}
