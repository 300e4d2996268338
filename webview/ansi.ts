// Output of a terminal as plain text: without colours and cursor movements, with overwritten lines as they end up.

const escapes = new RegExp(
  String.raw`\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])`,
  "g",
);

/** Removes escape sequences; of a line rewritten after a carriage return, the last writing stays. */
export function stripAnsi(text: string): string {
  const plain = text.replace(escapes, "").replaceAll("\r\n", "\n");
  if (!plain.includes("\r")) return plain;
  return plain
    .split("\n")
    .map((line) => line.split("\r").findLast((part) => part !== "") ?? "")
    .join("\n");
}
