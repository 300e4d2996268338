// “Edit and run again” and “Fork from here”: the panel goes on in a copy, and the session itself stays as it is.
import * as vscode from "vscode";
import { sendable, type ToWebview } from "../protocol/wire.ts";
import type { Chat } from "./chat.ts";
import { mayLeave } from "./leave.ts";

export interface Forking {
  /** Opens a copy that ends before the message, and writes its text into the composer. */
  readonly edit: (messageId: string) => Promise<void>;
  /** Opens a copy that ends with the message's turn. */
  readonly fork: (messageId: string) => Promise<void>;
}

export function createForking(chat: Chat, ask: (message: ToWebview) => void): Forking {
  let busy = false;
  /** A second click while a person is being asked, or while the copy is made, is for the same. */
  const once = async (work: () => Promise<void>): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      if (await mayLeave(chat)) await work();
    } finally {
      busy = false;
    }
  };
  return {
    edit: (entryId) =>
      once(async () => {
        const forked = await chat.forkAt({ entryId, side: "before" });
        if (!forked) return;
        const { text, parts } = forked;
        ask({ type: "composer:write", text, parts: sendable(parts) });
        void tellOfOriginal(chat, forked.from);
      }),
    fork: (entryId) =>
      once(async () => {
        const forked = await chat.forkAt({ entryId, side: "with" });
        if (!forked) return;
        ask({ type: "composer:focus" });
        void tellOfOriginal(chat, forked.from);
      }),
  };
}

/** Says that this is a copy, and offers the way back. */
export async function tellOfOriginal(chat: Chat, original: string): Promise<void> {
  const back = vscode.l10n.t("Open the Original");
  const words = vscode.l10n.t("You go on in a copy. The session it was made from is unchanged.");
  const chosen = await vscode.window.showInformationMessage(words, back);
  if (chosen === back && (await mayLeave(chat))) await chat.openSession(original);
}
