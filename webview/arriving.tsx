// The arguments of a call while the model is still writing them: the end of them, readable before they are whole.
import type { CallItem } from "../src/protocol/viewCall.ts";

interface Props {
  readonly call: CallItem;
}

const lastLines = 8;

export function Arriving({ call: { arriving } }: Props) {
  if (arriving === "") return null;
  const lines = readable(arriving).split("\n").slice(-lastLines);
  return (
    <pre class="tail arriving" aria-hidden="true">
      {lines.join("\n")}
    </pre>
  );
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "" };

/** JSON text without its escapes and brackets; of an escape that has only half arrived nothing. */
function readable(json: string): string {
  const half = /(?<!\\)(?:\\\\)*(\\(?:u[\da-fA-F]{0,3})?)$/.exec(json)?.[1] ?? "";
  return json
    .slice(0, json.length - half.length)
    .replace(/^\s*\{\s*/, "")
    .replace(/"(\w+)"\s*:\s*"?|"\s*,\s*(?=")|"?\s*\}\s*$|\\(?:u([\da-fA-F]{4})|(.))/gs, (all, key, code, letter) => {
      if (typeof key === "string") return `${key}: `;
      if (typeof code === "string") return String.fromCharCode(Number.parseInt(code, 16));
      return typeof letter === "string" ? (escapes[letter] ?? letter) : all.includes(",") ? "\n" : "";
    });
}
