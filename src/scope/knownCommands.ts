// What is known of programs by their names: those that do nothing anybody minds, and those that delete or overwrite.
import { baseName, type CommandWord } from "./linePart.ts";

type Args = readonly CommandWord[];

const always = (): boolean => true;
/** Neither a file nor anything that is known only later: what it reads comes through a pipe. */
const optionsOnly = (args: Args): boolean => args.every((arg) => arg !== null && /^(?:-[a-zA-Z0-9]*|-?\d+)$/.test(arg));
const insideOnly = (args: Args): boolean =>
  args.length === 1 && args.every((arg) => arg !== null && !/^[-/~]|(?:^|\/)\.\.(?:\/|$)/.test(arg));

/** By name: whether it does nothing but answer, with these arguments. */
const harmless: Readonly<Record<string, (args: Args) => boolean>> = {
  ...Object.fromEntries(
    ": true false echo pwd exit return break continue shift sleep wait basename dirname seq whoami nproc arch uname set [ test which"
      .split(" ")
      .map((name) => [name, always]),
  ),
  type: always,
  printf: ([first]) => first !== null && first !== "-v",
  cd: insideOnly,
  head: optionsOnly,
  tail: optionsOnly,
  wc: optionsOnly,
  cat: optionsOnly,
  date: (args) => args.every((arg) => arg?.startsWith("+") === true),
  uniq: optionsOnly,
  cut: optionsOnly,
  sort: (args) => args.every((arg) => arg !== null && /^-[nrufhV]+$/.test(arg)),
  grep: (args) => args.filter((arg) => !/^-[ivcnEFowxq]+$/.test(arg ?? "")).length === 1 && !args.includes(null),
  export: always,
  local: always,
  unset: always,
};

/** Whether it can stand beside what a rule allows without a rule of its own: it must be named without a path. */
export function isHarmless([program, ...args]: readonly CommandWord[]): boolean {
  if (program === undefined) return true;
  return program !== null && Object.hasOwn(harmless, program) && harmless[program]?.(args) === true;
}

/** Variables that change nothing but how something looks or is tested. */
const plainVariable =
  /^(?:[a-z][a-z0-9_]*|CI|NODE_ENV|RUST_BACKTRACE|RUST_LOG|DEBUG|VERBOSE|FORCE_COLOR|NO_COLOR|CLICOLOR|LANG|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|PORT)$/;

/** Whether a variable cannot change which program runs, or what it runs in its turn. */
export function isPlainVariable(name: string): boolean {
  return plainVariable.test(name) && !/^npm_|(?:proxy|path|_command)$/.test(name);
}

const deletes: ReadonlySet<string> = new Set(
  "rm rmdir unlink mv cp shred srm truncate dd install wipefs fdisk parted rsync rename tee ln patch unzip 7z".split(
    " ",
  ),
);

/** By program: words that make it delete or overwrite. */
const byWord: Readonly<Record<string, RegExp>> = {
  find: /^-(?:delete|fprint.*|fls)$/,
  sed: /^(?:-[a-zA-Z]*i.*|--in-place.*)$/,
  gsed: /^(?:-[a-zA-Z]*i.*|--in-place.*)$/,
  perl: /^-[a-zA-Z0]*i/,
  ruby: /^-[a-zA-Z]*i/,
  sort: /^(?:-[a-zA-Z]*o.*|--output.*)$/,
  curl: /^(?:-[a-zA-Z]*[oO].*|--output.*|--remote-name.*)$/,
  tar: /^(?:-?[a-zA-Z]*[xcru].*|--(?:extract|get|create|delete|remove-files|append|update).*)$/,
  docker: /^(?:rm|rmi|prune|kill|down)$/,
  kubectl: /^(?:delete|drain|replace)$/,
  terraform: /^(?:destroy|apply)$/,
  npm: /^(?:publish|unpublish|prune)$/,
  make: /^(?:clean|distclean|uninstall)$/,
};

/** git by its command: words that make it lose something; `true`: it always may. */
const gitLoses: Readonly<Record<string, RegExp | true>> = {
  ...Object.fromEntries(
    "push clean restore rm mv gc prune reflog filter-branch filter-repo update-ref replace checkout-index read-tree"
      .split(" ")
      .map((name) => [name, true] as const),
  ),
  reset: true,
  checkout: true,
  switch: /^(?:-[a-zA-Z]*[fC]|--force|--discard-changes|--force-create)/,
  branch: /^(?:-[a-zA-Z]*[dDMCf]|--delete|--force)/,
  tag: /^(?:-[a-zA-Z]*[df]|--delete|--force)/,
  stash: /^(?:drop|clear|pop|push|save)$/,
  worktree: /^(?:remove|prune)$/,
  remote: /^(?:remove|rm|set-url)$/,
  submodule: /^(?:deinit|update)$/,
  rebase: true,
  commit: /^--amend$/,
};

/** Global options of git with a value of their own. */
const gitValued: ReadonlySet<string> = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
]);

/** Whether a command may delete or overwrite what is there; what is known only later may. */
export function isDestructive([program, ...args]: readonly CommandWord[]): boolean {
  if (typeof program !== "string") return false;
  const name = baseName(program);
  if (name === "git") return gitIsDestructive(args);
  if (deletesByName([program])) return true;
  const words = Object.hasOwn(byWord, name) ? byWord[name] : undefined;
  return words !== undefined && args.some((arg) => arg === null || words.test(arg));
}

/** Whether the program does nothing else. */
export function deletesByName([program]: readonly CommandWord[]): boolean {
  const name = baseName(program ?? "");
  return deletes.has(name) || name.startsWith("mkfs");
}

function gitIsDestructive(args: Args): boolean {
  const start = args.findIndex(
    (arg, index) => arg === null || !(arg.startsWith("-") || gitValued.has(args[index - 1] ?? "")),
  );
  if (start === -1) return false;
  const verb = args[start] ?? null;
  if (verb === null) return true;
  const rest = args.slice(start + 1);
  if (verb === "checkout" && rest[0] === "-b" && rest.length === 2) return false;
  if (verb === "stash" && rest.length === 0) return true;
  const loses = Object.hasOwn(gitLoses, verb) ? gitLoses[verb] : undefined;
  return loses === true || (loses !== undefined && rest.some((arg) => arg === null || loses.test(arg)));
}
