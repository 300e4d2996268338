// A secret of every kind that is known, made up anew: put together here, so that no file of the repository holds one.
import type { SecretShape } from "../../src/scope/secretShapes.ts";

export interface SecretSample {
  readonly kind: SecretShape["name"];
  /** A line, or several, with the secret in it. */
  readonly text: string;
  /** What must not be seen of it: all of these are parts of the text. */
  readonly hidden: readonly string[];
}

const alphabets = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789"];
const hex = ["abcdef", "0123456789"];

/** @param seed the same one gives the same secrets */
export function secretSamples(seed: number): readonly SecretSample[] {
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const from = (kinds: readonly string[], length: number): string =>
    Array.from({ length }, (_, index) => {
      const letters = kinds[index % kinds.length] ?? "";
      return letters.charAt(next(letters.length));
    }).join("");
  const mixed = (length: number): string => from(alphabets, length);
  const upper = (length: number): string => mixed(length).toUpperCase();
  const sample = (kind: string, secret: string, before = "value: ", after = ""): SecretSample => ({
    kind,
    text: `${before}${secret}${after}`,
    hidden: [secret],
  });
  const lines = Array.from({ length: 8 }, () => mixed(64));
  const pem = ["-----BEGIN RSA PRIVATE KEY-----", ...lines, "-----END RSA PRIVATE KEY-----"].join("\n");
  return [
    sample("Anthropic key", `sk-ant-${mixed(40)}`),
    sample("API key", `sk-${mixed(48)}`),
    sample("GitHub token", `ghp_${mixed(36)}`),
    sample("GitHub token", `github_pat_${mixed(50)}`),
    sample("GitLab token", `glpat-${mixed(20)}`),
    sample("Slack token", `xoxb-${mixed(40)}`),
    sample("Slack token", `xapp-1-${mixed(30)}`),
    sample("AWS access key", `AKIA${upper(16)}`),
    sample("Google API key", `AIza${mixed(35)}`),
    sample("Google token", `ya29.${mixed(60)}`),
    sample("Google client secret", `GOCSPX-${mixed(28)}`),
    sample("JSON web token", `eyJ${mixed(20)}.eyJ${mixed(30)}.${mixed(43)}`),
    sample("npm token", `npm_${mixed(36)}`),
    sample("PyPI token", `pypi-${mixed(80)}`),
    sample("Stripe key", `sk_live_${mixed(24)}`),
    sample("webhook secret", `whsec_${mixed(32)}`),
    sample("Hugging Face token", `hf_${mixed(34)}`),
    sample("SendGrid key", `SG.${mixed(22)}.${mixed(43)}`),
    sample("DigitalOcean token", `dop_v1_${from(hex, 64)}`),
    sample("Databricks token", `dapi${from(hex, 32)}`),
    sample("Vault token", `hvs.${mixed(30)}`),
    sample("Groq key", `gsk_${mixed(52)}`),
    sample("age key", `AGE-SECRET-KEY-1${upper(58)}`),
    sample("password", mixed(12), "postgres://ann:", "@db.local:5432/shop"),
    sample("secret", mixed(32), "DATABASE_KEY="),
    sample("secret", mixed(32), '  "client_secret": "', '",'),
    sample("secret", mixed(32), "https://api.local/x?access_token="),
    sample("access token", mixed(40), "Authorization: Bearer "),
    { kind: "private key", text: pem, hidden: lines },
  ];
}
