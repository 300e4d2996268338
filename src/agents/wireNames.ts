// Names of tools as every endpoint takes them: letters, digits, _ and -, at most 64, each once (PROMPTY-7-5). Pure.

const longest = 64;

/**
 * The name itself where it can be used, else the nearest that can.
 * @param taken names that it must not be
 */
export function wireName(wanted: string, taken: ReadonlySet<string> = new Set()): string {
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, longest) || "_";
  for (let n = 1; ; n++) {
    const end = n === 1 ? "" : `_${n}`;
    const name = `${plain.slice(0, longest - end.length)}${end}`;
    if (!taken.has(name)) return name;
  }
}
