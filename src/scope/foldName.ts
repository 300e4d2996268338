// One form for all spellings that some file system takes for the same name.

/**
 * File systems ignore case, some ignore invisible characters or how an accent is composed, some the dots, spaces and stream
 * at the end: names are equal if any says so.
 * @param name one segment of a path
 */
export function foldName(name: string): string {
  const plain = name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/(?<=.):.*$/su, "")
    .replace(/[. ]+$/u, "")
    // Upper case has no rules that depend on what stands beside a letter.
    .toUpperCase()
    .replaceAll("/", "_");
  return plain === "" ? name : plain;
}
