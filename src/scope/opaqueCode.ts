// Programs that run code of another language, or what one of their options names: that code is not read.
import type { CommandWord } from "./linePart.ts";

/** Options before the first other word that hold code, for interpreters; without any other word the code comes from elsewhere. */
const interpreters: readonly (readonly [name: RegExp, code: RegExp])[] = [
  [/^(?:python|pypy)[\d.]*$/, /^-[a-zA-Z]*c|^-$/],
  [/^(?:node|nodejs|bun|deno|tsx|ts-node)$/, /^-[a-z]*[ep]|^--(?:eval|print|import|loader|experimental-loader)\b|^-$/],
  [/^perl[\d.]*$/, /^-[a-zA-Z0-9]*[eE]|^-$/],
  [/^(?:ruby|lua|luajit|rscript|groovy|scala|osascript|elixir)[\d.]*$/, /^-[a-zA-Z]*e|^-$/],
  [/^php[\d.]*$/, /^-[rRB]|^-$/],
];

/** Options that name a program to run, whoever has them. */
const runsProgram =
  /^(?:--(?:to-command|checkpoint-action|use-compress-program|compress-program|pre|exec|exec-path|upload-pack|receive-pack|rsh|open-files-in-pager|ext-diff|extcmd|config-env|init-command|rcfile|pager|editor)\b)/;

/** Short ones and verbs, by program. */
const runsByName: Readonly<Record<string, RegExp>> = {
  git: /^(?:-c|-O.*|foreach|filter-branch|difftool|mergetool|-x)$/,
  tar: /^-I/,
  rsync: /^-[a-zA-Z]*e$/,
  vim: /^(?:-c|--cmd|\+.*)$/,
  vi: /^(?:-c|\+.*)$/,
  nvim: /^(?:-c|--cmd|\+.*)$/,
  emacs: /^--(?:eval|batch)/,
  man: /^-P/,
  less: /^\+/,
  make: /^(?:--eval|SHELL=)/,
  gdb: /^-(?:ex|batch|eval)/,
  docker: /^(?:exec|run)$/,
  kubectl: /^(?:exec|run)$/,
};

/** Whether a program runs code that a line does not show in a form that is read here. */
export function isOpaque(name: string, args: readonly CommandWord[]): boolean {
  if (args.some((arg) => arg !== null && (runsProgram.test(arg) || namedFor(name)?.test(arg) === true))) return true;
  if (name === "git") return args.includes("bisect") && args.includes("run");
  if (/^[gmn]?awk$/.test(name)) return !isPlainAwk(args);
  if (name === "sed" || name === "gsed") return !isPlainSed(args);
  const code = interpreters.find(([names]) => names.test(name))?.[1];
  return code !== undefined && hasCode(args, code);
}

function namedFor(name: string): RegExp | undefined {
  return Object.hasOwn(runsByName, name) ? runsByName[name] : undefined;
}

function hasCode(args: readonly CommandWord[], code: RegExp): boolean {
  const first = args.findIndex((arg) => arg === null || arg === "-" || !arg.startsWith("-"));
  const options = first === -1 ? args : args.slice(0, first);
  if (options.some((option) => option !== null && code.test(option))) return true;
  const shows = options.some((option) => /^(?:-V|-v|-h|--version|--help|--test|--check)$/.test(option ?? ""));
  const file = first === -1 ? null : (args[first] ?? null);
  return file === null || file === "-" ? !(shows && first === -1) && !hasModule(args) : file === "eval";
}

/** `python -m pytest`: a module is a program as any other. */
function hasModule(args: readonly CommandWord[]): boolean {
  return args[0] === "-m" && typeof args[1] === "string";
}

/** Its program neither runs, reads nor writes anything but its input. */
function isPlainAwk(args: readonly CommandWord[]): boolean {
  const program = args.find(
    (arg, index) => arg === null || !(arg.startsWith("-") || /^-[Fv]$/.test(args[index - 1] ?? "")),
  );
  if (
    typeof program !== "string" ||
    args.some((arg) => /^(?:-f|--file|-i|-l|-E|--include|--load|--exec)/.test(arg ?? ""))
  )
    return false;
  return !/system|getline|[|>@]|fflush|close/.test(program);
}

const place = String.raw`(?:\d+|\$|/[^/]*/)?`;
const plainSed = new RegExp(
  String.raw`^(?:${place}(?:,${place})?[pdq=]|${place}(?:,${place})?s([/|#,:])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiI\d]*)$`,
);

/** Each of its scripts is one substitution, or prints or drops lines. */
function isPlainSed(args: readonly CommandWord[]): boolean {
  if (args.some((arg) => arg === null || /^(?:-f|--file|-s$)/.test(arg))) return false;
  const named = args.filter((_arg, index) => args[index - 1] === "-e" || args[index - 1] === "--expression");
  const first = args.find((arg) => arg?.startsWith("-") === false);
  const scripts = named.length > 0 ? named : [first];
  return scripts.every((script) => typeof script === "string" && plainSed.test(script));
}
