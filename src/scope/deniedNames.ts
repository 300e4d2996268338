// The names that no tool may read or write, as one table, and the test of a path against it.

export type Access = "read" | "write";

interface DeniedName {
  /** Segments joined by `/`, `*` standing for any characters; they may be anywhere in a path. Lower case. */
  readonly pattern: string;
  readonly denies: readonly Access[];
  readonly why: string;
}

const both: readonly Access[] = ["read", "write"];
const secret = "files of this name hold secrets";
const credentials = "this is where credentials are kept";

/** The first row that fits a place in the path decides about that place. */
const deniedNames: readonly DeniedName[] = [
  { pattern: ".env.example", denies: ["write"], why: secret },
  { pattern: ".env.sample", denies: ["write"], why: secret },
  { pattern: ".env.template", denies: ["write"], why: secret },
  { pattern: ".env", denies: both, why: secret },
  { pattern: ".env.*", denies: both, why: secret },
  { pattern: "*.pem", denies: both, why: secret },
  { pattern: "*.key", denies: both, why: secret },
  { pattern: "*.p12", denies: both, why: secret },
  { pattern: "*.pfx", denies: both, why: secret },
  { pattern: "id_rsa*", denies: both, why: secret },
  { pattern: "id_ed25519*", denies: both, why: secret },
  { pattern: "id_ecdsa*", denies: both, why: secret },
  { pattern: ".npmrc", denies: both, why: secret },
  { pattern: ".pypirc", denies: both, why: secret },
  { pattern: ".netrc", denies: both, why: secret },
  { pattern: ".git-credentials", denies: both, why: secret },
  { pattern: ".docker/config.json", denies: both, why: credentials },
  { pattern: ".aws", denies: both, why: credentials },
  { pattern: ".ssh", denies: both, why: credentials },
  { pattern: ".gnupg", denies: both, why: credentials },
  { pattern: ".kube", denies: both, why: credentials },
  { pattern: ".brain", denies: both, why: "Brain keeps its own records there" },
  { pattern: ".git/config", denies: both, why: "it may hold credentials" },
  { pattern: ".git", denies: ["write"], why: "only git itself changes its records" },
];

/** Why this access is denied by name, or null. Takes a path relative to the root. */
export type DenialByName = (relative: string, access: Access) => string | null;

/**
 * Compiles the table.
 * @param extra further patterns in the table's form, denied for reading and writing
 */
export function denialByName(extra: readonly string[]): DenialByName {
  const added = extra.map((pattern) => ({ pattern, denies: both, why: "the settings deny this name" }));
  const rows = [...added, ...deniedNames].map((row) => ({
    ...row,
    segments: row.pattern.toLowerCase().split("/").filter(Boolean).map(toExpression),
  }));
  return (relative, access) => {
    const names = relative.split(/[\\/]+/).map(asFileSystemsCompare);
    for (const start of names.keys()) {
      const row = rows.find(({ segments }) =>
        segments.every((segment, index) => segment.test(names[start + index] ?? "")),
      );
      if (row?.denies.includes(access)) return row.why;
    }
    return null;
  };
}

function toExpression(segment: string): RegExp {
  const literal = segment.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${literal.join(".*")}$`, "su");
}

/** File systems ignore case, some ignore invisible characters, some the dots and spaces at the end: names are equal if any says so. */
function asFileSystemsCompare(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .replace(/[. ]+$/, "");
}
