// Where the keyboard goes when nothing else is meant: the composer's field.

/** The id of the field a message is written in. */
export const composerId = "composer-input";

/** Puts the cursor at the end of what is being written. */
export function focusComposer(): void {
  const field = document.getElementById(composerId);
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
