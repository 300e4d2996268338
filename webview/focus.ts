// Where the keyboard goes: the composer's field, and calls in the conversation.

/** The id of the field a message is written in. */
export const composerId = "composer-input";

/** Puts the cursor at the end of what is being written. */
export function focusComposer(): void {
  const field = document.getElementById(composerId);
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Goes to a call in the conversation, or to the line of those that it is folded into. */
export function focusCall(toolCallId: string): void {
  const row = document.querySelector<HTMLElement>(`[data-item~="${CSS.escape(toolCallId)}"]`);
  const around = toolCallId.slice(0, Math.max(0, toolCallId.lastIndexOf("/")));
  if (row) row.focus();
  else if (around !== "") focusCall(around);
}
