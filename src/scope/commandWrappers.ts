// Programs that run other programs: what is inside of them, as a table and a reader of their options.
import { baseName, unknown, type CommandWord, type LinePart, type SimpleCommand } from "./linePart.ts";
import { isOpaque } from "./opaqueCode.ts";
import { optionsOf } from "./wrapperOptions.ts";
import { wrappers, type Wrapper } from "./wrapperTable.ts";

/** Where a command stands, and how a line inside of it is read. */
interface Place {
  readonly depth: number;
  readonly read: (line: string, depth: number) => readonly LinePart[];
}

const deepest = 8;

const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "ash"]);
/** What runs code that is not seen from here, or changes what names mean. */
const unreadable: ReadonlySet<string> = new Set([
  ..."zsh ksh mksh fish csh tcsh pwsh powershell cmd cmd.exe powershell.exe wsl".split(" "),
  ..."alias hash su runuser script parallel ssh rsh nsenter unshare enable bind complete compgen fc at batch crontab".split(
    " ",
  ),
]);

/** The command, and inside of it what it runs in its turn; all that it runs is read too. */
export function unwrap(words: readonly [string, ...CommandWord[]], sets: readonly string[], place: Place): LinePart[] {
  if (place.depth > deepest) return [unknown("it is too deep")];
  const name = baseName(words[0]);
  const plain = { kind: "command", words, sets, opaque: false, wraps: "nothing", names: 0, inner: [] } as const;
  if (unreadable.has(name)) return [unknown(`${name} is not read`), plain];
  if (shells.has(name)) return [shellOf(plain, place)];
  if (name === "trap") return [{ ...plain, wraps: "clear", inner: trapped(words, place) }];
  if (name === "find" || name === "fd") return [{ ...plain, inner: executed(words, place) }];
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper) {
    const wrapped = wrappedBy(wrapper, plain, place);
    if (wrapped) return [wrapped];
  }
  return [{ ...plain, opaque: isOpaque(name, words.slice(1)) }];
}

/** Null when there is nothing inside of it. */
function wrappedBy(wrapper: Wrapper, plain: SimpleCommand, place: Place): SimpleCommand | null {
  const { words } = plain;
  const verbs = wrapper.verbs?.split(" ");
  if (verbs && !verbs.includes(words[1] ?? "")) return null;
  const whole = { ...plain, wraps: wrapper.wraps } as const;
  const found = optionsOf(wrapper, words, verbs ? 2 : 1);
  if (found.kind === "unknown") return { ...whole, inner: [unknown("an option of it is not known here")] };
  if (found.kind === "script") return { ...whole, inner: scriptParts(found.line, place) };
  const sets = [...plain.sets, ...found.sets];
  const rest = words.slice(found.next);
  if (rest.length === 0) return wrapper.wraps === "clear" ? { ...whole, sets } : null;
  if (wrapper.joins) return { ...whole, inner: scriptParts(joined(rest), place) };
  return { ...whole, sets, ...programIn(rest, wrapper, found.next, place) };
}

function programIn(
  [program, ...args]: readonly CommandWord[],
  { adds }: Wrapper,
  next: number,
  place: Place,
): Pick<SimpleCommand, "names" | "inner"> {
  if (typeof program !== "string" || program === "")
    return { names: 0, inner: [unknown("the name of the program is known only when it runs")] };
  const inner = unwrap([program, ...args, ...(adds ? [null] : [])], [], deeper(place));
  const [first] = inner;
  const further = first?.kind === "command" && first.names > 0 ? first.names : 1;
  return { names: next + further, inner };
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function joined(words: readonly CommandWord[]): CommandWord {
  return words.includes(null) ? null : words.join(" ");
}

function scriptParts(line: CommandWord, { depth, read }: Place): readonly LinePart[] {
  return line === null ? [unknown("a part of its code is known only when it runs")] : read(line, depth + 1);
}

/** A shell with code of its own, with a file of code, or with code that comes from elsewhere. */
function shellOf(plain: SimpleCommand, place: Place): SimpleCommand {
  const { words } = plain;
  const from = (why: string): SimpleCommand => ({ ...plain, wraps: "clear", inner: [unknown(why)] });
  let isScript = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? null;
    if (word === null) return from("an option of the shell is known only when it runs");
    if (word === "--") continue;
    if (/^[-+]\w*[oO]$/.test(word)) index++;
    if (/^-[a-zA-Z]*c[a-zA-Z]*$/.test(word)) isScript = true;
    else if (/^(?:[-+][a-zA-Z]+|--(?:login|norc|noprofile|posix))$/.test(word)) {
      if (/^-[a-zA-Z]*s/.test(word)) return from("its code comes from elsewhere");
    } else if (word.startsWith("-")) return from("an option of the shell is not known here");
    else return isScript ? { ...plain, wraps: "clear", inner: scriptParts(word, place) } : plain;
  }
  return from("its code comes from elsewhere");
}

function trapped([, ...words]: readonly CommandWord[], place: Place): readonly LinePart[] {
  const [line] = words.filter((word) => word !== "--");
  return line === undefined || line === "-" || line === "-l" || line === "-p" ? [] : scriptParts(line, place);
}

const executes: ReadonlySet<string> = new Set([
  "-exec",
  "-execdir",
  "-ok",
  "-okdir",
  "-x",
  "-X",
  "--exec",
  "--exec-batch",
]);

/** What `find -exec` runs, with names in it that only find knows. */
function executed(words: readonly CommandWord[], place: Place): LinePart[] {
  return words.flatMap((word, index) => {
    if (word === null) return [];
    const rest = words.slice(index + 1);
    if (/^-(?:fprint|fls)/.test(word)) return [{ kind: "write", path: rest[0] ?? null, keeps: false }];
    return executes.has(word) ? [...executedBy(rest, place)] : [];
  });
}

function executedBy(rest: readonly CommandWord[], place: Place): readonly LinePart[] {
  const end = rest.findIndex((next) => next === ";" || next === "+");
  const [program, ...args] = end === -1 ? rest : rest.slice(0, end);
  if (typeof program !== "string" || program.includes("{}"))
    return [unknown("the name of the program is known only when it runs")];
  const named = args.map((arg) => (arg?.includes("{}") === true ? null : arg));
  return unwrap([program, ...named, null], [], deeper(place));
}
