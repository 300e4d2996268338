// Which files a part of git's diff shows something of.

const header = /^(?:\+\+\+ b|--- a)\/(.+)$/gm;
const bare = /^diff --git a\/(\S+) b\/\1$/m;

/** Both names of a file that was renamed. None where the header is not understood. @param diff of one file */
export function namesInDiff(diff: string): readonly string[] {
  const [head = ""] = diff.split(/^@@/m, 1);
  const named = [...head.matchAll(header)].flatMap(([, name]) => name ?? []);
  return named.length > 0 ? [...new Set(named)] : (bare.exec(head)?.slice(1) ?? []);
}
