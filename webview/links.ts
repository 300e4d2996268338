// What in a text counts as a link: web addresses, and names of files in the workspace.

export interface FileReference {
  readonly path: string;
  readonly line?: number;
}

/** True for what may be opened in a browser. */
export function isWebLink(url: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(url);
}

const scheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i;
const position = /(?::(\d+)(?::\d+)?|#L(\d+)(?:-L?\d+)?)$/;
const fileName = /^[\w@.()[\]+-]*\.[A-Za-z][A-Za-z0-9]{0,9}$/;
const usual =
  /\.(?:[cm]?[jt]sx?|json|md|py|go|rs|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|html|css|scss|vue|svelte|ya?ml|toml|sql|sh|txt)$/i;
const pathForm = /^(?:\.\/)?(?:[\w@.()[\]+ -]+\/)*[\w@.()[\]+ -]+$/;

/**
 * Reads `src/a.js:12` and the like.
 * @param loose also takes a path without an ending, as the target of a link may be
 * @returns null for anything that is not clearly a relative path to a file
 */
export function fileReference(text: string, loose = false): FileReference | null {
  if (text.length > 300 || scheme.test(text)) return null;
  const match = position.exec(text);
  const path = match ? text.slice(0, match.index) : text;
  if (!pathForm.test(path) || path.split("/").includes("..")) return null;
  if (!loose && !isNamed(path, match !== null)) return null;
  const line = Number(match?.slice(1).find((digits) => digits) ?? 0);
  return line > 0 ? { path, line } : { path };
}

/** A file's name with an ending; alone, without a folder or a line, it tells a file only where the ending is well known. */
function isNamed(path: string, withLine: boolean): boolean {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return fileName.test(last) && (withLine || path.includes("/") || usual.test(last));
}
