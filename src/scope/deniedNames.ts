// The names that no tool may read or write, as one table.

export type Access = "read" | "write";

export interface DeniedName {
  /** Segments joined by `/`, `*` standing for any characters; they may be anywhere in a path, in upper or lower case. */
  readonly pattern: string;
  /** Empty: an exception from the rows below it. */
  readonly denies: readonly Access[];
  readonly why: string;
}

const both: readonly Access[] = ["read", "write"];
const secret = "files of this name hold secrets";
const credentials = "this is where credentials are kept";

interface Group {
  readonly denies: readonly Access[];
  readonly why: string;
  /** Separated by white space. */
  readonly patterns: string;
}

const groups: readonly Group[] = [
  {
    denies: [],
    why: "a template holds no secret",
    patterns: ".env.example .env.sample .env.template .env.dist *.tfvars.example",
  },
  {
    denies: both,
    why: secret,
    patterns: `
      .env .env.* .envrc
      *.pem *.key *.p8 *.p12 *.pfx *.pkcs12 *.jks *.keystore *.ppk *.keytab *.kdb *.kdbx *.ovpn
      id_rsa* id_dsa* id_ecdsa* id_ed25519*
      .npmrc .pypirc .netrc _netrc .git-credentials .dockercfg .boto .s3cfg .databrickscfg rclone.conf
      .pgpass .my.cnf .mylogin.cnf .htpasswd .vault-token .vault_pass* kubeconfig *.kubeconfig
      *.tfstate *.tfstate.* *.tfvars *.tfvars.json .terraformrc
      credentials.json application_default_credentials.json client_secret*.json
      *service-account*.json *service_account*.json *serviceaccount*.json`,
  },
  {
    denies: both,
    why: credentials,
    patterns: `
      .aws .azure .ssh .gnupg .kube .password-store .config/gcloud .config/gh .config/hub
      .docker/config.json .cargo/credentials .cargo/credentials.toml .gem/credentials .composer/auth.json
      .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties
      .terraform.d/credentials.tfrc.json .streamlit/secrets.toml`,
  },
  { denies: both, why: "Brain keeps its own records there", patterns: ".brain" },
  { denies: ["write"], why: "it says what Brain may not touch; change it yourself", patterns: ".brainignore" },
  {
    denies: both,
    why: "it may hold credentials",
    patterns: ".git/config .git/config.worktree .git/modules/*/config",
  },
  { denies: ["write"], why: "only git itself changes its records", patterns: ".git" },
];

/** The first row that fits a place in the path decides about that place. */
export const deniedNames: readonly DeniedName[] = groups.flatMap(({ patterns, ...row }) =>
  patterns
    .trim()
    .split(/\s+/)
    .map((pattern) => ({ pattern, ...row })),
);
