// The forms of a path that are refused before the file system is asked; pure, so that Windows rules are tested anywhere.

export type PathRules = "posix" | "win32";

interface Form {
  readonly found: RegExp;
  readonly why: string;
}

/** What a person is asked about must read as what it is. */
export const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/gu;

const everywhere: readonly Form[] = [
  { found: /^$/, why: "the path is empty" },
  { found: /^.{4097}/su, why: "it is too long" },
  { found: /^(?:[^\\/]*[\\/]+){200}/u, why: "it has too many folders" },
  { found: /\0/u, why: "a path has no NUL character" },
  { found: new RegExp(unseen.source, "u"), why: "it has a control character" },
  { found: /\p{Cs}/u, why: "it has half of a character" },
  { found: /^~/, why: "`~` is not expanded; write the path relative to the workspace" },
  {
    found: /^(?:\$(?:[A-Z_]+|\{\w+\}|[Ee]nv:\w+)|%\w+%)(?:[\\/]|$)/u,
    why: "variables are not expanded; write the path relative to the workspace",
  },
  { found: /^[a-z][a-z0-9+.-]+:/i, why: "it is a URI; write a plain path relative to the workspace" },
];

const posix: readonly Form[] = [{ found: /^[a-z]:/i, why: "this system has no drive letters" }];

const windows: readonly Form[] = [
  { found: /^[\\/]{2}/, why: "network and device paths are outside the workspace" },
  { found: /^[\\/]/, why: "it names no drive; write the path relative to the workspace" },
  {
    found: /^[a-z]:(?![\\/])/i,
    why: "it depends on a drive's current folder; write the path relative to the workspace",
  },
  { found: /^..+:/s, why: "a colon in a name means an alternate stream" },
  { found: /[<>"|?*]/u, why: "it has a character that Windows does not allow in a name" },
];

const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\..*)?$/i;

/** Windows' second name of a file, such as `GIT~1`. In absolute paths it may come from the system, and leads where it leads. */
const shortened = /^[^.]{1,6}~[0-9]{1,6}(?:\.[^.]{0,3})?$/;

/**
 * Looks at the text of a path only.
 * @returns why such a path cannot be used, as the end of a sentence; null when nothing speaks against its form
 */
export function refusedForm(path: string, rules: PathRules): string | null {
  const forms = [...everywhere, ...(rules === "win32" ? windows : posix)];
  const form = forms.find(({ found }) => found.test(path));
  if (form) return form.why;
  return rules === "win32" ? refusedWindowsName(path) : null;
}

function refusedWindowsName(path: string): string | null {
  const names = path.split(/[\\/]+/).filter((name) => name !== "." && name !== "..");
  if (names.some((name) => /[. ]$/.test(name))) return "Windows drops dots and spaces at the end of a name";
  if (!/^[a-z]:/i.test(path) && names.some((name) => shortened.test(name)))
    return "it is the short form of a name; write the name in full";
  if (names.some((name) => reserved.test(name))) return "Windows keeps this name for a device";
  return null;
}
