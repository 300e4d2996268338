// “Try Again”: the same message once more, with the images and files that were given with it.
import type { SessionStore } from "../brain/sessions.ts";
import { saidIn } from "../brain/forkEntries.ts";
import { sendable } from "../protocol/wire.ts";
import type { Chat } from "./chat.ts";
import type { Fold } from "./fold.ts";

export interface AgainParts {
  readonly chat: Pick<Chat, "submit">;
  readonly fold: Pick<Fold, "view">;
  readonly sessions: () => Pick<SessionStore, "read">;
}

/** @param message its words count where it was not written down: a run that failed at the door */
export async function sendAgain(
  { chat, fold, sessions }: AgainParts,
  message: { readonly messageId: string; readonly text: string },
): Promise<void> {
  const { id } = fold.view().session;
  const entries =
    id === null
      ? []
      : await sessions()
          .read(id)
          .catch(() => []);
  const said = saidIn(entries.findLast((entry) => entry.id === message.messageId));
  await chat.submit(said?.content ?? message.text, "queue", sendable(said?.parts));
}
