// Private keys that stand in the files of the workspace, line by line: a part of one does not look like a secret.
import { maskOf } from "../protocol/viewMasked.ts";
import { linesOfKeys, maskSecrets } from "../scope/secrets.ts";
import type { Files } from "./workspace.ts";

export interface KnownSecrets {
  /** Takes note of the private keys in a text. */
  readonly notice: (text: string) => void;
  /** The text without secrets, and without single lines of the keys that are known. */
  readonly mask: (text: string) => string;
}

/** Lines of keys; more are not kept. */
const mostLines = 2_000;

export function createKnownSecrets(): KnownSecrets {
  const lines = new Set<string>();
  return {
    notice(text) {
      for (const line of linesOfKeys(text)) if (lines.size < mostLines) lines.add(line);
    },
    mask(text) {
      let masked = maskSecrets(text);
      for (const line of lines) if (masked.includes(line)) masked = masked.replaceAll(line, maskOf("private key"));
      return masked;
    },
  };
}

/** The same files; what is read of them is looked through. */
export function noticing(files: Files, { notice }: KnownSecrets): Files {
  return {
    ...files,
    async read(path) {
      const file = await files.read(path);
      if (file) notice(file.text);
      return file;
    },
  };
}
