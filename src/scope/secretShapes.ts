// What secrets look like, as one table: words that announce them, their exact form, and what tells them from look-alikes. Pure.

export interface SecretShape {
  /** In words: stands in the secret's place. */
  readonly name: string;
  /** Texts of which one must be there, so that most texts are never searched. */
  readonly hints: readonly string[];
  /** Global. What it matches is the secret, and nothing beside it. Takes linear time. */
  readonly found: RegExp;
  /** False for what only looks like one. */
  readonly genuine?: (match: string) => boolean;
}

/** A key of a service, known by how it begins; not where it is in the middle of something longer, as encoded data is. */
function key(name: string, begins: string, body: string, genuine?: SecretShape["genuine"]): SecretShape {
  const found = new RegExp(String.raw`(?:(?<![A-Za-z0-9+/_-])|(?<=\\[nrt]))${begins}${body}`, "g");
  const hints = [begins.split(/[[(\\]/, 1).join("")];
  return { name, hints, found, ...(genuine && { genuine }) };
}

const url = "[A-Za-z0-9_-]";
const word = "[A-Za-z0-9]";

const keys: readonly SecretShape[] = [
  key("Anthropic key", "sk-ant-", `${url}{20,2000}`),
  key("API key", "sk-", `${url}{20,2000}`, isMixed),
  key("GitHub token", "gh[pousr]_", `${word}{36,2000}`),
  key("GitHub token", "github_pat_", "[A-Za-z0-9_]{22,2000}"),
  key("GitLab token", "gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-", `${url}{20,2000}`),
  key("Slack token", "xox[abeoprs]-", "[A-Za-z0-9-]{20,2000}", hasDigit),
  key("Slack token", "xapp-", "[0-9]-[A-Za-z0-9-]{10,2000}"),
  key("AWS access key", "A(?:KIA|SIA|BIA|CCA)", "[A-Z0-9]{16}(?![A-Za-z0-9+/=])"),
  key("Google API key", "AIza", `${url}{35}(?![A-Za-z0-9_+/=-])`),
  key("Google token", String.raw`ya29\.`, `${url}{20,2000}`),
  key("Google client secret", "GOCSPX-", `${url}{20,2000}`),
  key("JSON web token", "eyJ", String.raw`${url}{8,2000}\.eyJ${url}{8,2000}\.${url}{8,2000}`),
  key("npm token", "npm_", `${word}{36}(?!${word})`),
  key("PyPI token", "pypi-", `${url}{50,2000}`),
  key("Stripe key", "[sr]k_(?:live|test)_", `${word}{16,2000}`),
  key("webhook secret", "whsec_", "[A-Za-z0-9+/=]{24,2000}"),
  key("Hugging Face token", "hf_", `${word}{30,2000}(?!${word})`),
  key("SendGrid key", String.raw`SG\.`, String.raw`${url}{16,2000}\.${url}{16,2000}`),
  key("DigitalOcean token", "do[opr]_v1_", "[a-f0-9]{64}"),
  key("Databricks token", "dapi", "[a-f0-9]{32}(?![A-Za-z0-9])"),
  key("Vault token", String.raw`hvs\.`, `${url}{24,2000}`),
  key("Groq key", "gsk_", `${word}{40,2000}`),
  key("age key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,2000}"),
];

const lineEnd = String.raw`(?:\\[nr]|\s){1,40}`;
const base64 = "[A-Za-z0-9+/=]";

export const privateKey: SecretShape = {
  name: "private key",
  hints: ["PRIVATE KEY"],
  found: new RegExp(
    String.raw`-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:${lineEnd}[A-Za-z-]{1,30}: [^\n\\]{0,120}){0,4}` +
      String.raw`${lineEnd}${base64}{32,9999}(?:${lineEnd}${base64}{1,999}){0,999}(?:${lineEnd}-----END [A-Z ]{0,40}-----)?`,
    "g",
  ),
};

/** `scheme://user:password@host`: only the password. */
const password: SecretShape = {
  name: "password",
  hints: ["://"],
  found: /(?<=:\/\/[^\s/:@"'`<>]{0,100}:)[^\s/@"'`<>]{3,500}(?=@)/g,
  genuine: (match) => !/^[$%{*]|\$\{|^\*+$|^x+$/i.test(match),
};

/** Without `=` but at its end, so that no two places share what they look through. */
const value = "[A-Za-z0-9+/_.~-]{12,2000}={0,2}";
const announced =
  "(?:(?:api|access|secret|private|auth|encryption|signing|master|account|storage|service)[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential)[a-z0-9_]{0,24}";

/** Something called a secret: quoted, up to the end of a line, in an environment, in an address or as an argument. */
const assignments: readonly SecretShape[] = [
  assigned(String.raw`${announced}["']?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}["'\`]`, `(?=["'\`])`),
  assigned(String.raw`${announced}[ \t]{0,3}[=:][ \t]{0,3}`, String.raw`(?=[ \t]*(?:[\r\n]|$))`),
  assigned(`(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD|PASSPHRASE|CREDENTIALS?)[A-Z0-9_]{0,24}=["']?`, "", "g"),
  assigned("(?:[?&]|--)[a-z_-]{0,20}(?:token|key|secret|password|signature)[= ]", ""),
  { ...assigned(String.raw`\b(?:Bearer|Basic) `, ""), name: "access token", hints: ["earer ", "asic "] },
];

function assigned(before: string, after: string, flags = "gi"): SecretShape {
  const found = new RegExp(`(?<=${before})${value}${after}`, flags);
  return { name: "secret", hints: ["=", ":"], found, genuine: looksRandom };
}

/** In this order: what is known by name comes before what is only guessed. */
export const secretShapes: readonly SecretShape[] = [privateKey, ...keys, password, ...assignments];

function hasDigit(text: string): boolean {
  return /\d/.test(text);
}

/** Words joined by dashes are no key. */
function isMixed(text: string): boolean {
  return hasDigit(text) && /[A-Za-z0-9]{10}/.test(text) && (/[A-Z]/.test(text) || /[0-9a-f]{32}/.test(text));
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const placeholder = /example|placeholder|changeme|your[_-]|dummy|xxxx|\.\.\./i;
const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/];

/** Bits of surprise in each character: names and sentences have fewer, random text has more. */
const leastEntropy = 3;
/** How often one character is of another kind than the one before: in names seldom, in random text every second time. */
const leastChanges = 0.27;

/** For what follows an announcing word: long, mixed and without order; names, paths and placeholders are not. */
function looksRandom(text: string): boolean {
  const start = text.slice(0, 200);
  if (!/[A-Za-z]/.test(start) || !hasDigit(start) || uuid.test(text) || placeholder.test(text)) return false;
  return changes(start) >= leastChanges && entropy(start) >= leastEntropy;
}

function changes(text: string): number {
  const all = text.match(/[A-Za-z0-9]/g) ?? [];
  const kindOf = (character: string | undefined): number => kinds.findIndex((kind) => kind.test(character ?? ""));
  return all.filter((one, index) => index > 0 && kindOf(one) !== kindOf(all[index - 1])).length / all.length;
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
