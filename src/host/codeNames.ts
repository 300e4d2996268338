// The file that an answer names for its code: behind the fence, in the code's first line, or at the end of what stands above. Pure.

export interface ShownCode {
  readonly text: string;
  /** As the answer calls it. */
  readonly language: string;
  /** What stands behind the fence. */
  readonly info: string;
  /** The end of what stands above the code. */
  readonly above: string;
}

/** Characters of a line in which a file is looked for. */
const longestLine = 1_000;

/** Paths as they are written, the surest first; words that only look like one may be among them. */
export function namedFiles(code: ShownCode): readonly string[] {
  const info = code.info.slice(0, longestLine);
  const [, title] = /\b(?:title|file|filename|path|name)\s*[=:]\s*["']?([^"'\s}]+)/.exec(info) ?? [];
  const behindFence = title === undefined ? info.split(/\s+/) : [title];
  const own = namedAbove(code.text);
  const above = (code.above.slice(-longestLine).trim().split("\n").at(-1) ?? "").split(/\s+/);
  const all = [...behindFence, ...(own === null ? [] : [own]), ...above.toReversed()].map(clean).filter(isPath);
  return [...new Set(all)];
}

/** The code without a first line that does nothing but name the file. */
export function withoutName(text: string): string {
  return namedAbove(text) === null ? text : text.replace(/^[^\n]*\n(?:\r?\n)?/, "");
}

const comment = /^\s*(?:\/\/|#(?!!)|--|;|%|\/\*|<!--)\s*(?:(?:file|filename|path)\s*:\s*)?(\S+)\s*(?:\*\/|-->)?\s*$/i;

function namedAbove(text: string): string | null {
  const line = text.split("\n", 1)[0] ?? "";
  const [, name = ""] = (line.length <= longestLine ? comment.exec(line) : null) ?? [];
  return isPath(name) ? name : null;
}

/** Without signs around it, and without lines that it names in the file. */
function clean(word: string): string {
  return word
    .replace(/^[^\w./~@]+|[^\w]+$/g, "")
    .replace(/^(?:\d+:\d+|[a-zA-Z+]{2,}):(?!\/\/)/, "")
    .replace(/(?:#L\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)$/, "");
}

const longest = 300;

function isPath(word: string): boolean {
  return (
    word.length <= longest &&
    /^[^\s:*?"<>|=]*[^\s:*?"<>|=/]\.[A-Za-z]\w{0,9}$|^(?:[^\s:*?"<>|=]*\/)?\.[a-z]\w*$/.test(word)
  );
}
