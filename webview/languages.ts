// The languages whose code is coloured: what their comments, texts and numbers look like, and the words that are theirs.
import type { Kind } from "./colouring.ts";

/** Patterns by kind, tried in the order of `Kind` at each place of a text. Each must take all that it has looked at. */
export interface Language extends Partial<Readonly<Record<Kind, string>>> {
  readonly word?: string;
  /** Given, what stands before a parenthesis is a function. */
  readonly words?: string;
  /** Given, a word with a capital is a type, too. */
  readonly types?: string;
  /** What stands behind a name that is given a value. */
  readonly key?: ":" | "=";
  readonly anyCase?: true;
  /** Texts in backticks hold code, and a slash may begin a pattern. */
  readonly templates?: true;
}

/** The end of the text; `$` is the end of any line. */
const end = "(?![^])";
const slashes = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|${end})`;
const hash = String.raw`(?<!\S)#[^\n]*`;
const double = String.raw`"(?:[^"\\\n]|\\[^])*"?`;
const quotes = String.raw`${double}|'(?:[^'\\\n]|\\[^])*'?`;
const triple = String.raw`"""[^]*?(?:"""|${end})|'''[^]*?(?:'''|${end})`;
const letter = String.raw`${double}|'(?:\\[^\n][^'\n]{0,9}|[^'\\\n])'`;
const dollar = String.raw`\$(?:\{[^}\n]*\}?|[\w?#@*!-]\w*)?`;
const dashed = String.raw`[\p{L}_][\p{L}\p{N}_.'/-]*`;

const flow = "break case continue default do else for goto if return switch while";
const classes =
  "abstract catch class extends final finally import new private protected public static super this throw try";
const numbers = "bool byte char double float int long short signed unsigned void";
const c = { comment: slashes, string: quotes, keyword: String.raw`(?<!\S)#[^\S\n]*\w+|@\w+` };

const javascript: Language = {
  ...c,
  keyword: String.raw`@\w+|=>`,
  constant: String.raw`<\/[A-Za-z][\w.]*|(?<![\w)\]])<[A-Za-z][\w.]*`,
  templates: true,
  words: `${flow} ${classes} as async await const constructor debugger declare delete enum export from function get implements in instanceof interface is keyof let namespace of override readonly satisfies set type typeof var with yield`,
  types: "any bigint boolean never number object string symbol unknown void",
};
const bash: Language = {
  comment: hash,
  string: quotes,
  constant: dollar,
  word: dashed,
  words:
    "alias case cd do done echo elif else esac exit export fi for function if in local read return set shift source sudo then trap unset until while",
};
const yaml: Language = { comment: hash, string: quotes, keyword: "^---|[&*]\\w+", word: dashed, key: ":" };
const ini: Language = {
  comment: String.raw`[#;][^\n]*`,
  string: `${triple}|${quotes}`,
  title: String.raw`^\[[^\n]*`,
  word: dashed,
  key: "=",
};

/** By the name that is written behind the fence; other names of theirs lead there. */
export const languages: Readonly<Record<string, Language>> = {
  bash,
  c: {
    ...c,
    words: `${flow} ${classes} auto const constexpr delete enum explicit extern friend inline namespace nullptr operator override register sizeof struct template typedef typename union using virtual volatile`,
    types: `${numbers} size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t string wchar_t`,
  },
  csharp: {
    ...c,
    words: `${flow} ${classes} as async await base const delegate enum event explicit foreach get implicit in init interface internal is lock namespace operator out override params readonly record ref sealed set sizeof struct typeof using var virtual where yield`,
    types: `${numbers} decimal dynamic object string uint ulong ushort`,
  },
  css: {
    comment: slashes,
    string: quotes,
    number: String.raw`#[\da-fA-F]{3,8}(?![\w-])|\d[\d.]*[\w%]*`,
    keyword: String.raw`@[\w-]+|!important`,
    title: String.raw`[.#][\p{L}_-][\w-]*`,
    word: String.raw`[$\p{L}_-][\p{L}\p{N}_-]*`,
    words: "and from not only to",
    key: ":",
  },
  diff: {
    comment: String.raw`^(?:diff|index|---|\+\+\+)[^\n]*`,
    title: "^@@[^\\n]*",
    plus: "^\\+[^\\n]*",
    minus: "^-[^\\n]*",
  },
  dockerfile: {
    comment: hash,
    string: quotes,
    constant: dollar,
    word: dashed,
    words:
      "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
  },
  go: {
    ...c,
    string: `${letter}|\`[^\`]*\`?`,
    words: `${flow} chan const defer fallthrough func go import interface map package range select struct type var`,
    types:
      "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
  },
  ini,
  java: {
    ...c,
    string: `${triple}|${quotes}`,
    words: `${flow} ${classes} assert enum implements instanceof interface native package permits record sealed strictfp synchronized throws transient var volatile yield`,
    types: `${numbers} boolean`,
  },
  javascript,
  json: { comment: slashes, string: double, key: ":" },
  kotlin: {
    ...c,
    string: `${triple}|${letter}`,
    words: `${flow} ${classes} as by companion constructor data enum fun in init inline interface internal is lateinit object open out override package reified sealed suspend typealias val var vararg when where`,
    types: "",
  },
  lua: {
    comment: String.raw`--\[\[[^]*?(?:\]\]|${end})|--[^\n]*`,
    string: quotes,
    words: "and break do else elseif end for function goto if in local not or repeat return then until while",
  },
  makefile: {
    ...yaml,
    constant: String.raw`\$(?:\([^)\n]*\)?|.)`,
    words: "else endif ifdef ifeq ifndef ifneq include",
  },
  markdown: {
    comment: String.raw`^>[^\n]*`,
    string: `^\`\`\`[^]*?(?:\\n\`\`\`|${end})|\`[^\`\\n]*\`?`,
    keyword: String.raw`^[ \t]{0,12}(?:[*+-]|\d{1,9}\.) `,
    title: String.raw`^#{1,6} [^\n]*`,
    word: String.raw`[\p{L}\p{N}][\p{L}\p{N} ,.'-]*`,
  },
  php: {
    ...c,
    comment: `${slashes}|${hash}`,
    constant: dollar,
    words: `${flow} ${classes} and array as const echo elseif enum fn foreach function global implements include instanceof interface match namespace or php readonly require require_once trait use var xor yield`,
    types: `${numbers} mixed string`,
  },
  powershell: {
    comment: String.raw`<#[^]*?(?:#>|${end})|${hash}`,
    string: quotes,
    constant: dollar,
    word: dashed,
    words: `${flow} catch elseif end begin filter finally foreach function in param process throw trap try until`,
    anyCase: true,
  },
  python: {
    comment: "#[^\\n]*",
    string: `${triple}|${quotes}`,
    keyword: String.raw`@\w+`,
    words:
      "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
    types: "bool bytes dict float frozenset int list object set str tuple",
  },
  ruby: {
    comment: hash,
    string: quotes,
    constant: String.raw`@{1,2}\w+|:\w+`,
    words:
      "alias and attr_accessor attr_reader begin break case class def defined do else elsif end ensure extend for if in include module next not or raise redo require rescue retry return self super then undef unless until when while yield",
    types: "",
  },
  rust: {
    ...c,
    string: letter,
    keyword: String.raw`#!?\[[^\]\n]*\]?|'\w+`,
    words: `as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while`,
    types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize",
  },
  sql: {
    comment: String.raw`--[^\n]*|\/\*[^]*?(?:\*\/|${end})`,
    string: quotes,
    anyCase: true,
    words:
      "add all alter and as asc begin between by cascade case check column commit constraint create cross database default delete desc distinct drop else end exists foreign from full function grant group having if in index inner insert intersect into is join key left like limit not on or order outer over partition primary references returning right rollback select set table then transaction trigger union unique update using values view when where with",
    types:
      "bigint blob boolean bool char date decimal float int integer json jsonb numeric real serial smallint text time timestamp timestamptz uuid varchar",
  },
  swift: {
    ...c,
    string: `${triple}|${double}`,
    words: `${flow} ${classes} actor as associatedtype async await defer enum extension fileprivate func guard in init inout internal is lazy let mutating open operator override protocol repeat self some struct subscript throws typealias var weak where`,
    types: "",
  },
  yaml,
};

const others = {
  bash: "console sh shell shell-session shellscript zsh",
  c: "c++ cc cpp cxx h hpp objc objective-c",
  csharp: "c# cs",
  css: "less sass scss",
  diff: "patch",
  dockerfile: "docker",
  go: "golang",
  ini: "conf dotenv editorconfig env properties toml",
  javascript: "cjs cts js jsx mjs mts node ts tsx typescript",
  json: "json5 jsonc jsonl ndjson",
  java: "dart groovy scala",
  kotlin: "kt kts",
  makefile: "make mk",
  markdown: "md mdx",
  markup: "html htm svelte svg vue xhtml xml",
  powershell: "ps ps1 pwsh",
  python: "gyp py python3",
  ruby: "rb",
  rust: "rs",
  sql: "mysql plsql postgres postgresql sqlite",
  yaml: "yml",
};
const named = new Map(Object.entries(others).flatMap(([name, all]) => all.split(" ").map((other) => [other, name])));

/** The name that a language goes by here. */
export function nameOf(language: string): string {
  const name = language.toLowerCase();
  return named.get(name) ?? name;
}
