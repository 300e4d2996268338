// Files on the command line as parts of a message.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { ContentPart } from "./protocol/messages.ts";

const types: Readonly<Record<string, Pick<ContentPart, "kind" | "mediaType">>> = {
  ".png": { kind: "image", mediaType: "image/png" },
  ".jpg": { kind: "image", mediaType: "image/jpeg" },
  ".jpeg": { kind: "image", mediaType: "image/jpeg" },
  ".gif": { kind: "image", mediaType: "image/gif" },
  ".webp": { kind: "image", mediaType: "image/webp" },
  ".pdf": { kind: "file", mediaType: "application/pdf" },
};

/** Reads a file. Throws an Error with a sentence for one that no model takes, or that cannot be read. */
export function attachment(file: string): ContentPart {
  const type = types[path.extname(file).toLowerCase()];
  if (!type) throw new Error(`${file} cannot be attached: ${Object.keys(types).join(", ")} can.`);
  const value = readFileSync(file).toString("base64");
  return { ...type, value, ...(type.kind === "file" && { name: path.basename(file) }) };
}
