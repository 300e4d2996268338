// What sessions are called in sentences, and as files.

/** What a session is called in a sentence. */
export function titleOrNone(title: string): string {
  return title === "" ? "Untitled" : title;
}

/** A file's name made from a title: without what file systems do not take, and never empty or hidden. */
export function fileNameOf(title: string): string {
  const plain = title.replaceAll(/[^\p{L}\p{N} ._()-]+/gu, " ").replaceAll(/\s+/g, " ");
  const name = plain
    .replace(/^[ .]+/, "")
    .slice(0, 60)
    .replace(/[ .]+$/, "");
  return name === "" ? "session" : name;
}
