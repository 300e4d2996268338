// The arguments of a call while the model is still writing them, by their names: the file first, and of a long text the end.
import type { ArrivingField, CallItem } from "../src/protocol/viewCall.ts";

interface Props {
  readonly call: CallItem;
}

/** Lines of the argument that is being written, and of those that are whole. */
const growingLines = 8;
const wholeLines = 2;

export function Arriving({ call: { arriving } }: Props) {
  if (arriving.length === 0) return null;
  const growing = arriving.at(-1);
  const shown = arriving.toSorted((a, b) => Number(b.name === "path") - Number(a.name === "path"));
  return (
    <pre class="tail arriving" aria-hidden="true">
      {shown.map((field) => lineOf(field, field === growing ? growingLines : wholeLines)).join("\n")}
    </pre>
  );
}

function lineOf({ name, text }: ArrivingField, most: number): string {
  const lines = text.split("\n");
  const end = lines.length > most ? ["…", ...lines.slice(-most)].join("\n") : text;
  return name === "" ? end : `${name}: ${end}`;
}
