// Secrets do not leave in a trace: texts under names that hold one of these words, whole, so that `max_tokens` and `authors` stay.

const words = ["token", "secret", "password", "passwd", "passphrase", "authorization", "credential", "credentials"];
const more = ["cookie", "jwt", "bearer", "apikey"];
const secretWords: ReadonlySet<string> = new Set([...words, ...more]);
/** Two words that are secret only together. */
const secretPairs = /(?:^| )(?:api|access|private|secret|account|signing|encryption) keys?(?: |$)/;

const gone = "[redacted]";

/** Whether texts under this name are kept out of traces (PROMPTY-3-5). */
export function isSecretName(name: string): boolean {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return parts.some((part) => secretWords.has(part)) || secretPairs.test(parts.join(" "));
}

/** The value without texts under secret names, at any depth; numbers stay. Texts that are JSON are read as such. */
export function redacted(value: unknown): unknown {
  if (typeof value === "string") return inText(value);
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, under(name, member)]));
}

function under(name: string, value: unknown): unknown {
  if (!isSecretName(name)) return redacted(value);
  if (typeof value === "string") return gone;
  return typeof value === "object" && value !== null ? everyText(value) : value;
}

/** All of it is secret: `{ token: { value: "…" } }`. */
function everyText(value: unknown): unknown {
  if (typeof value === "string") return gone;
  if (Array.isArray(value)) return value.map(everyText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everyText(member)]));
}

function inText(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(redacted(JSON.parse(text)));
  } catch {
    return text;
  }
}
