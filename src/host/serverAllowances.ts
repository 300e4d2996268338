// Which servers of folders' files a person has allowed: for exactly what the file said, until it says something else.
import { createHash } from "node:crypto";
import type { ServerQuestion } from "../composeMcp.ts";

/** What was allowed in a workspace: digests, because what a file says may hold keys. */
export interface AllowanceMemory {
  get(): unknown;
  set(digests: readonly string[]): void;
}

export interface ServerAllowances {
  /** A refusal is not kept: whoever asks again, asks the person. */
  confirm(question: ServerQuestion): Promise<boolean>;
  /** Forgets what was allowed in this workspace. */
  forget(): void;
}

const mostKept = 100;

export function createServerAllowances(
  ask: (question: ServerQuestion) => Promise<boolean>,
  memory: AllowanceMemory,
): ServerAllowances {
  const kept = (): readonly string[] => {
    const value = memory.get();
    return Array.isArray(value) ? value.filter((digest) => typeof digest === "string") : [];
  };
  return {
    async confirm(question) {
      const digest = digestOf(question);
      if (kept().includes(digest)) return true;
      const allowed = await ask(question);
      if (allowed) memory.set([...kept(), digest].slice(-mostKept));
      return allowed;
    },
    forget: () => memory.set([]),
  };
}

/** What was allowed inside the sandbox was not allowed outside. */
function digestOf({ name, file, content, confined }: ServerQuestion): string {
  return createHash("sha256")
    .update(JSON.stringify([name, file, content, confined]))
    .digest("hex");
}
