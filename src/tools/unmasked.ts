// Results as they were before they were masked: for a person who asks, in memory, for as long as the window lives.

interface KeptCall {
  readonly sessionId: string;
  readonly toolCallId: string;
}

export interface Unmasked {
  readonly keep: (call: KeptCall, text: string) => void;
  /**
   * @param toolCallId as the panel knows it
   * @returns null when it is not kept, or not any more
   */
  readonly textOf: (sessionId: string, toolCallId: string) => string | null;
}

/** Of all together, in characters; the oldest go first. */
const mostKept = 4_000_000;

export function createUnmasked(): Unmasked {
  let all: readonly (KeptCall & { readonly text: string })[] = [];
  let size = 0;
  return {
    keep({ sessionId, toolCallId }, text) {
      all = [...all, { sessionId, toolCallId, text }];
      size += text.length;
      while (size > mostKept) {
        size -= all[0]?.text.length ?? 0;
        all = all.slice(1);
      }
    },
    textOf(sessionId, toolCallId) {
      const own = all.filter((kept) => kept.sessionId === sessionId);
      // Of a delegate's call only the end of its name is known here: where several end so, nobody knows which is meant.
      const inner = own.filter((kept) => toolCallId.endsWith(`/${kept.toolCallId}`));
      const found =
        own.findLast((kept) => kept.toolCallId === toolCallId) ?? (inner.length === 1 ? inner[0] : undefined);
      return found?.text ?? null;
    },
  };
}
