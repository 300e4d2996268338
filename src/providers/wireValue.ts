// Lenient reading of what a server sent: wrong or missing parts become empty ones, so that one odd field costs no reply.

export type WireRecord = Readonly<Record<string, unknown>>;

/** Tells a JSON object from everything else. */
export function isRecord(value: unknown): value is WireRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object, or an empty one. */
export function recordOf(value: unknown): WireRecord {
  return isRecord(value) ? value : {};
}

/** The list, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or `""`. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The number, or undefined; what is below zero counts nothing. */
export function countOf(value: unknown): number | undefined {
  const count = numberOf(value);
  return count !== undefined && count >= 0 ? count : undefined;
}
