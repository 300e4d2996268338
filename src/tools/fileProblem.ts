// An error of the file system in words, without the paths of this machine.

const words: Readonly<Record<string, string>> = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file or a link, not a folder",
  EEXIST: "a part of the path is a file, not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
  EBUSY: "another program is using it",
};

/** The error's code, such as `ENOENT`; `""` when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** One sentence for the model about a file that could not be used. */
export function fileProblem(path: string, error: unknown): string {
  const code = codeOf(error);
  return `“${path}” cannot be used: ${words[code] ?? (code || "the file system refused")}.`;
}
