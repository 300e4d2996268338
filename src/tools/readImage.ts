// Images of the workspace, as the model is shown them.
import type { ToolResult } from "../engine/ports.ts";
import { openFile } from "../scope/opening.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { codeOf, fileProblem } from "./fileProblem.ts";
import { failed, succeeded } from "./tool.ts";

/** Bytes; the least that all endpoints take. */
const largest = 3_750_000;

/** The kinds that models read, by how their files begin. */
const kinds: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/** @returns null when there is no such file */
export async function readImage(path: ScopedPath): Promise<ToolResult | null> {
  const file = await bytesOf(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    throw codeOf(error) === "" ? error : new Error(fileProblem(path.relative, error), { cause: error });
  });
  if (file === null) return null;
  const { bytes } = file;
  const size = `${file.size.toLocaleString("en")} bytes`;
  const start = bytes.toString("latin1", 0, 16);
  const mediaType = kinds.find(([, begins]) => begins.test(start))?.[0];
  if (mediaType === undefined)
    return failed(`“${path.relative}” cannot be shown: only PNG, JPEG, GIF and WebP images can.`);
  if (bytes.length > largest)
    return failed(
      `“${path.relative}” is too large to be shown (${size}; at most ${largest.toLocaleString("en")}): make a smaller copy.`,
    );
  const parts = [{ kind: "image", value: bytes.toString("base64"), mediaType }] as const;
  return { ...succeeded(`${path.relative} · ${mediaType} · ${size}`), parts };
}

async function bytesOf(path: ScopedPath): Promise<{ readonly bytes: Buffer; readonly size: number }> {
  const { handle, size } = await openFile(path);
  try {
    // One byte more than may be: whether it is too large shows, whatever its size is.
    const bytes = Buffer.alloc(Math.min(size, largest + 1));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, bytesRead), size };
  } finally {
    await handle.close();
  }
}
