// What the model is doing while nothing of its answer is there: what it thinks, and how long it has been waited for.
import { useEffect, useState } from "preact/hooks";
import type { Item } from "../src/protocol/viewTurn.ts";
import { useFold } from "./context.ts";
import { Head } from "./head.tsx";
import { Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface ThinkingProps {
  readonly id: string;
  readonly text: string;
  readonly done: boolean;
}

/** What the model thought, folded. */
export function Thinking({ id, text, done }: ThinkingProps) {
  const [open, toggle] = useFold(`thinking-${id}`, false);
  return (
    <div class="thinking">
      <Head
        open={open}
        toggle={toggle}
        title={open ? t("Hide what the model thought") : t("Show what the model thought")}
      >
        <Icon name={done ? "lightbulb" : "loading"} class={done ? "state" : "state spin"} />
        <span class="call-words">{done ? t("Thought") : t("Thinking…")}</span>
      </Head>
      {open && <div class="thought">{text}</div>}
    </div>
  );
}

interface NowProps {
  readonly items: readonly Item[];
}

/** One quiet line while nothing else on the screen says what is going on. */
export function Now({ items }: NowProps) {
  if (items.some(saysWhatGoesOn) || items.at(-1)?.kind === "retry") return null;
  return <Waiting key={items.length} />;
}

/** Seconds after which it is said how long the model has been waited for: one at home may read a prompt for minutes. */
const longWait = 15;

function Waiting() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => setSeconds(Math.round((performance.now() - began) / 1_000)), 1_000);
    return () => clearInterval(timer);
  }, []);
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return (
    <div class="now">
      <Icon name="loading" class="state spin" />
      <span>
        {seconds < longWait ? t("Waiting for the model…") : t("Waiting for the model’s first words ({0})", time)}
      </span>
    </div>
  );
}

function saysWhatGoesOn(item: Item): boolean {
  switch (item.kind) {
    case "call":
      return ["streaming", "running", "ready", "pending"].includes(item.state);
    case "text":
      return item.state === "streaming";
    case "plan":
      return item.state === "pending";
    case "pause":
      return item.choice === null;
    case "compaction":
      return item.state === "working";
    case "user":
    case "memory":
    case "undo":
    case "notice":
    case "retry":
      return false;
  }
}
