// Ways out of a workspace as one table: what a model might write, and what must come of it.

export interface EscapeCase {
  /** The kind of way; with the path it is the test's title. */
  readonly way: string;
  /** `{ROOT}` and `{OUT}` stand for absolute paths, `{ROOTNAME}` and `{OUTNAME}` for their last names. */
  readonly path: string;
  /** What no tool may do with it; `nothing`: it is a name like any other and stays inside. */
  readonly refuses: "both" | "write" | "nothing";
}

/** Names that are denied wherever they are, one of each row of the table. */
export const deniedSamples = words(`
  .env .env.local .env.production .env.test .env.example.local .envrc server.pem server.key AuthKey.p8 store.p12 store.pfx
  store.pkcs12 store.jks debug.keystore putty.ppk host.keytab pass.kdb pass.kdbx office.ovpn id_rsa id_rsa.bak id_dsa
  id_ecdsa id_ecdsa_sk id_ed25519 .npmrc .pypirc .netrc _netrc .git-credentials .dockercfg .boto .s3cfg .databrickscfg
  rclone.conf .pgpass .my.cnf .mylogin.cnf .htpasswd .vault-token .vault_password kubeconfig dev.kubeconfig
  terraform.tfstate terraform.tfstate.backup prod.tfvars prod.auto.tfvars prod.tfvars.json .terraformrc credentials.json
  application_default_credentials.json client_secret_1.json my-service-account-1.json service_account.json
  serviceaccount.json .aws/credentials .aws/config .azure/accessTokens.json .ssh/known_hosts .ssh/authorized_keys
  .gnupg/secring.gpg .kube/config .password-store/mail.gpg .config/gcloud/credentials.db .config/gh/hosts.yml
  .config/hub .docker/config.json .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json
  .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .terraform.d/credentials.tfrc.json
  .streamlit/secrets.toml .brain/MEMORY.md .brain/agents/x/AGENT.md .brain/sessions/1/transcript.jsonl .git/config
  .git/config.worktree .git/modules/lib/config`);

/** Denied to write alone. */
const writeOnly = words(
  `.git/HEAD .git/hooks/pre-commit .git/index .git/info/exclude .git .brainignore src/.brainignore`,
);

/** What looks like a denied name and is none. */
const harmless = words(`
  .env.example .env.sample .env.template .env.dist prod.tfvars.example .environment env src/env.ts keyboard.ts monkey
  pem.ts .gitignore .gitattributes .github/workflows/ci.yml gitconfig .docker/daemon.json .cargo/config.toml
  .config/starship.toml .aws-sam brains/notes.md credentials.ts src/id.ts netrc ...x ..x x.. $id.tsx [slug].tsx a~1 NUL
  con.txt %2e%2e%2fx %2e%2e/%2e%2e/x a/%2e%2e/x ./~x ./a:b ./file:x \\x ..\\..\\x {x} a'b a"b a&b a;b a|b`);

const spellings: readonly (readonly [string, (name: string) => string])[] = [
  ["in upper case", (name) => name.toUpperCase()],
  [
    "in mixed case",
    (name) => name.replaceAll(/[a-z]/g, (letter, at: number) => (at % 2 ? letter : letter.toUpperCase())),
  ],
  ["with a dot at the end", (name) => `${name}.`],
  ["with dots at the end", (name) => `${name}...`],
  ["with a space at the end", (name) => `${name} `],
  ["with a dot and a space at the end", (name) => `${name}. .`],
  ["as a stream", (name) => `./${name}:x`],
  ["as the main stream", (name) => `./${name}::$DATA`],
  ["as an index stream", (name) => `./${name}::$INDEX_ALLOCATION`],
  ["with a zero width space", (name) => `${name.slice(0, 2)}\u200B${name.slice(2)}`],
  ["with a zero width joiner", (name) => `${name.slice(0, 3)}\u200D${name.slice(3)}`],
  ["with a soft hyphen", (name) => `${name.slice(0, 2)}\u00AD${name.slice(2)}`],
  ["with a byte order mark", (name) => `${name}\uFEFF`],
  ["with a variation selector", (name) => `${name.slice(0, 2)}\uFE0F${name.slice(2)}`],
  ["in full width", (name) => name.replace(".", "\uFF0E")],
  [
    "in full width letters",
    (name) => name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  ],
  ["with a dotless i", (name) => name.replace("i", "\u0131")],
  ["with a long s", (name) => name.replace("s", "\u017F")],
  ["with a kelvin sign", (name) => name.replace("k", "\u212A")],
  ["with back slashes", (name) => `src\\..\\${name.replaceAll("/", "\\")}`],
  ["after a detour", (name) => `src/../${name}`],
  ["after a detour through nothing", (name) => `no/such/../../${name}`],
  ["with doubled slashes", (name) => `.//${name.replaceAll("/", "//")}`],
  ["with dots between", (name) => `././${name.replaceAll("/", "/./")}`],
  ["from above", (name) => `../{ROOTNAME}/${name}`],
  ["as an absolute path", (name) => `{ROOT}/${name}`],
  ["as an absolute path with dots", (name) => `{ROOT}/src/../${name}`],
  ["through a link to the root", (name) => `self/${name}`],
  ["through two links to the root", (name) => `self/self/${name}`],
  ["through a link above", (name) => `up/{ROOTNAME}/${name}`],
  ["through /proc", (name) => `/proc/self/root{ROOT}/${name}`],
  ["as a folder", (name) => `${name}/below`],
  ["with a slash at the end", (name) => `${name}/`],
];
const spelled = words(".env .git/config .ssh/known_hosts .brain/MEMORY.md");

const outside = words(`
  .. ../ ../. ../.. / //  /. /etc /etc/passwd //etc/passwd /etc/../etc/passwd /root /tmp {OUT} {OUT}/secret.txt {OUT}/new.txt
  ../{OUTNAME}/secret.txt ../{OUTNAME}/new.txt src/../../{OUTNAME}/secret.txt src/deep/../../../{OUTNAME}/secret.txt
  ./../{OUTNAME}/secret.txt .//..//{OUTNAME}/secret.txt no/such/../../../{OUTNAME}/secret.txt {ROOT}/../{OUTNAME}/secret.txt
  {ROOT}/src/../../{OUTNAME}/secret.txt {ROOT}-evil {ROOT}-evil/secret.txt ../{ROOTNAME}-evil/secret.txt
  ../{ROOTNAME}-evil/new.txt /proc/self/environ /proc/self/cwd/../x /proc/self/root{OUT}/secret.txt /proc/self/fd/0
  /proc/1/root/etc/passwd /dev/null /dev/zero /dev/stdin /dev/fd/0 /dev/tty /dev/shm/x /sys/kernel/x /var/run/docker.sock`);

const links = words(`
  out out/ out/secret.txt out/new.txt out/new/deep.txt out/sub/more.txt out/../secret.txt/../out/secret.txt outFile
  outAbsolute outAbsolute/secret.txt outAbsolute/new.txt src/middle src/middle/secret.txt src/middle/sub/more.txt
  chain1 chain1/secret.txt chain1/new.txt chainFile evil evil/secret.txt evil/new.txt up up/{OUTNAME}/secret.txt
  up/{OUTNAME}/new.txt up/up danglingOut danglingOut/x danglingDeep danglingDeep/x danglingChain danglingAbsolute
  toProc toProc/environ toEtc/passwd toDevice src/../out/secret.txt self/out/secret.txt self/self/outFile
  inner/out/secret.txt out/back/../secret.txt loop loop/x loopA loopA/x loopB deepLoop/x/y self/loop`);

const linksToDenied = words(`
  notes notesChain notesDeep/below keys keys/known_hosts records/config danglingDenied brain brain2/MEMORY.md
  .npmrc-link innocent/config self/notes brain2 brain2/new.md keys/new notes/below self/self/brain2`);

const forms = [
  "~",
  "~/x",
  "~root/.ssh/id_rsa",
  "~+/x",
  "$HOME",
  "$HOME/.ssh/id_rsa",
  "${HOME}/x",
  "$PWD/../x",
  "$env:USERPROFILE\\x",
  "%USERPROFILE%\\x",
  "%APPDATA%/x",
  "file:///etc/passwd",
  "file:/etc/passwd",
  "file://localhost/etc/passwd",
  "FILE:///{OUT}/secret.txt",
  "file:///{ROOT}/src/a.ts",
  "file:%2e%2e/x",
  "vscode-remote://ssh/etc/passwd",
  "vscode-userdata:/User/settings.json",
  "untitled:x",
  "http://127.0.0.1/x",
  "data:text/plain,x",
  "jar:file:x",
  "C:",
  "C:x",
  "C:/Windows/win.ini",
  "c:\\Windows\\win.ini",
  "src/a.ts\0",
  "\0",
  "src/a.ts\0.png",
  "../{OUTNAME}/secret.txt\0",
  "src/a.ts\n",
  "\n../{OUTNAME}/secret.txt",
  "a\rb",
  "a\tb",
  "a\u001B[2Kb",
  "a\u007Fb",
  "a\u0085b",
  "a\u2028b",
  "a\u202Eb",
  "a\u2066b",
  "a\uD800b",
  "x".repeat(300),
  `${"x/".repeat(3_000)}x`,
  `${"x/".repeat(1_000)}x`,
  `src/${"../src/".repeat(150)}../../{OUTNAME}/secret.txt`,
];

/** Neither read nor written: they are no regular files. */
const special = words("pipe socket src/pipe pipeLink");

/** One of two names of a denied file, or of one that only its owner may read. */
const hardLinks = words("hard.txt src/hardDeep.txt hardKey.txt hardBrain.txt hardIgnored.txt hardLink");

const ignored = words(`
  private private/plan.txt private/deep/plan.txt hidden.secret src/other.secret nested/own.txt nested/deep/own.txt
  self/private/plan.txt privateLink privateLink/plan.txt ../{ROOTNAME}/private/plan.txt {ROOT}/private/plan.txt`);

/** All of them. */
export const escapeCases: readonly EscapeCase[] = [
  ...cases("a denied name", deniedSamples),
  ...cases(
    "a denied name in a deeper folder",
    deniedSamples.map((name) => `src/deep/${name}`),
  ),
  ...cases(
    "a denied name in other letters",
    deniedSamples.map((name) => name.toUpperCase()),
  ),
  ...spellings.flatMap(([way, spell]) =>
    cases(`a denied name ${way}`, spelled.filter((name) => spell(name) !== name).map(spell)),
  ),
  ...cases("denied to write", writeOnly, "write"),
  ...cases("a place outside", outside),
  ...cases("a link", links),
  ...cases("a link to a denied name", linksToDenied),
  ...cases("a form", forms),
  ...cases("a special file", special),
  ...cases("a hard link", hardLinks),
  ...cases("named by .brainignore", ignored),
  ...cases("a harmless name", harmless, "nothing"),
];

function cases(way: string, paths: readonly string[], refuses: EscapeCase["refuses"] = "both"): EscapeCase[] {
  return paths.map((path) => ({ way, path, refuses }));
}

function words(text: string): string[] {
  return text.trim().split(/\s+/u);
}
