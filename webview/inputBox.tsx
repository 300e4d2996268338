// Where a person types into a command that waits for input.
import { useState } from "preact/hooks";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { useTools } from "./context.ts";
import { Button } from "./icon.tsx";
import { inSentence } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly call: CallItem;
  /** The question, as the command has put it. */
  readonly prompt: string;
}

const hidden = { type: "password" } as const;
const shown = { type: "text" } as const;

/** What is typed is kept nowhere: it may be a password. */
export function InputBox({ call, prompt }: Props) {
  const { store } = useTools();
  const [text, setText] = useState("");
  const question = prompt.trim();
  const send = (line: string | null): void => {
    store.post({ type: "call:input", toolCallId: call.id, text: line });
    setText("");
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // The list around it moves by keys.
    event.stopPropagation();
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    send(text);
  };
  return (
    <div class="input-box" onKeyDown={onKeyDown}>
      <p role="status">{question === "" ? t("It waits for input.") : t("It waits for input: {0}", question)}</p>
      <input
        {...(/pass(?:word|phrase)|token|secret|\bpin\b/i.test(question) ? hidden : shown)}
        value={text}
        autocomplete="off"
        aria-label={t("Input for {0}", inSentence(call))}
        placeholder={t("Type a line")}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button kind="primary" title={t("Send the line (Enter)")} onClick={() => send(text)}>
        {t("Send")} <kbd>⏎</kbd>
      </Button>
      <Button title={t("Nothing more will be typed")} onClick={() => send(null)}>
        {t("End input")}
      </Button>
    </div>
  );
}
