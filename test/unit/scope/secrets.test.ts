// Masking secrets: real shapes go, look-alikes stay, twice is once, and a stream gives what the whole gives.
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { maskedStream, maskSecrets } from "../../../src/scope/secrets.ts";

// Put together here, so that no file of the repository holds the form of a key.
const mixed = (length: number): string => "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".repeat(10).slice(0, length);
const hex = (length: number): string => createHash("sha512").update("x").digest("hex").slice(0, length);
const body = Array.from({ length: 6 }, () => mixed(64)).join("\n");
const pem = (kind: string): string => `-----BEGIN ${kind}PRIVATE KEY-----\n${body}\n-----END ${kind}PRIVATE KEY-----`;
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", mixed(43)].join(".");

/** The secret, and what stands in its place. */
const secrets: readonly (readonly [string, string])[] = [
  [`sk-ant-api03-${mixed(80)}`, "Anthropic key"],
  [`sk-proj-${mixed(48)}`, "API key"],
  [`sk-${mixed(48)}`, "API key"],
  [`sk-or-v1-${hex(64)}`, "API key"],
  [`ghp_${mixed(36)}`, "GitHub token"],
  [`gho_${mixed(36)}`, "GitHub token"],
  [`github_pat_${mixed(22)}_${mixed(59)}`, "GitHub token"],
  [`glpat-${mixed(20)}`, "GitLab token"],
  [`xoxb-1234567890-${mixed(24)}`, "Slack token"],
  [`AKIA${mixed(16).toUpperCase()}`, "AWS access key"],
  [`AIza${mixed(35)}`, "Google API key"],
  [jwt, "JSON web token"],
  [`npm_${mixed(36)}`, "npm token"],
  [`sk_live_${mixed(24)}`, "Stripe key"],
  [`hf_${mixed(34)}`, "Hugging Face token"],
  [pem("RSA "), "private key"],
  [pem(""), "private key"],
  [pem("OPENSSH ").replaceAll("\n", String.raw`\n`), "private key"],
];

const around: readonly (readonly [string, string])[] = [
  ["", ""],
  ["key: ", "\nnext line"],
  ['{"token": "', '"}'],
  ["TOKEN=", "\r\n"],
  ["`", "`"],
  [String.raw`"one\n`, String.raw`\ntwo"`],
];

/** Whole texts in which only a part is secret. */
const parts: readonly (readonly [string, string])[] = [
  ["postgres://ann:s3cr3t-pw@db.local:5432/shop", "postgres://ann:[masked: password]@db.local:5432/shop"],
  ["redis://:hunter2@127.0.0.1/0", "redis://:[masked: password]@127.0.0.1/0"],
  [`DATABASE_KEY=${mixed(32)}`, "DATABASE_KEY=[masked: secret]"],
  [`  "client_secret": "${mixed(24)}",`, '  "client_secret": "[masked: secret]",'],
  [`apiKey: '${hex(32)}'`, "apiKey: '[masked: secret]'"],
  [`export AWS_SECRET_ACCESS_KEY=${mixed(40)}`, "export AWS_SECRET_ACCESS_KEY=[masked: secret]"],
  [`Authorization: Bearer ${mixed(40)}`, "Authorization: Bearer [masked: access token]"],
  [`password = "${mixed(16)}"`, 'password = "[masked: secret]"'],
];

const lookAlikes: readonly string[] = [
  `commit ${hex(40)}`,
  `index ${hex(7)}..${hex(8).slice(1)} 100644`,
  `sha256:${hex(64)}`,
  `"integrity": "sha512-${Buffer.from(hex(128), "hex").toString("base64")}"`,
  `token: ${randomUUID()}`,
  `data:image/png;base64,${Buffer.alloc(3_000, "picture 7").toString("base64")}`,
  `//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJ${mixed(60)}`,
  ".sk-fading-circle-before-animation-12 { color: #a1b2c3 }",
  "task-1234567890-abcdefghij-Klmnop",
  "const token = await tokens.refreshAccessToken2(user);",
  'import { secret } from "./auth/secretStore2.ts";',
  "SECRET_KEY=your_secret_key_here_123",
  "API_KEY=${API_KEY_FOR_STAGE_2}",
  "process.env.OPENAI_API_KEY2",
  "passwordResetTokenExpiresInMinutes: 30",
  "max_tokens: 128000, tokenizer: o200k_base",
  "postgres://user:${PASSWORD}@host/db and http://localhost:3000/@scope/name",
  "git@github.com:owner/repository.git",
  "-----BEGIN PUBLIC KEY-----",
  'if (text.startsWith("-----BEGIN PRIVATE KEY-----")) return;',
  "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
  "Bearer authentication with tokens is described in RFC6750.",
  "primary_key: user_id_2024_archive",
  "[masked: GitHub token]",
];

function streamed(chunks: readonly string[]): string {
  let shown = "";
  const stream = maskedStream((chunk) => (shown += chunk));
  for (const chunk of chunks) stream.add(chunk);
  stream.end();
  return shown;
}

describe("Masking secrets", () => {
  for (const [secret, name] of secrets)
    it(`masks ${secret.slice(0, 12).replaceAll("\n", " ")}… as ${name}, wherever it stands`, () => {
      for (const [before, after] of around)
        assert.equal(maskSecrets(before + secret + after), `${before}[masked: ${name}]${after}`);
    });

  it("masks only the secret part of a text", () => {
    for (const [text, masked] of parts) assert.equal(maskSecrets(text), masked);
  });

  it("leaves look-alikes as they are", () => {
    for (const text of lookAlikes) assert.equal(maskSecrets(text), text);
  });

  it("leaves any encoded data as it is", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 600 }), (bytes) => {
        for (const encoding of ["base64", "hex"] as const) {
          const text = `x "${Buffer.from(bytes).toString(encoding)}" y`;
          assert.equal(maskSecrets(text), text);
        }
      }),
    );
  });

  it("masks a key that was cut off before its end", () => {
    assert.equal(maskSecrets(pem("RSA ").slice(0, 200)), "[masked: private key]");
  });

  const crumbs = ["\n", "\r\n", " ", "…", "ok: 12 passed", "....", "key", "token=", "sk-", "-----BEGIN "];
  const pieces = fc.constantFrom(
    ...secrets.map(([secret]) => secret),
    ...parts.map(([text]) => text),
    ...lookAlikes,
    ...crumbs,
  );

  it("does nothing the second time", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (texts) => {
        const once = maskSecrets(texts.join(" "));
        assert.equal(maskSecrets(once), once);
      }),
    );
  });

  it("gives for a stream what it gives for the whole, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), fc.array(fc.nat(2_000), { maxLength: 20 }), (texts, cuts) => {
        const whole = texts.join("\n");
        const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((place, index) => whole.slice(places[index], place));
        assert.equal(streamed(chunks), maskSecrets(whole));
      }),
      { numRuns: 500 },
    );
  });

  it("shows harmless output as it comes", () => {
    const shown: string[] = [];
    const stream = maskedStream((chunk) => shown.push(chunk));
    for (const chunk of ["....", "....", "50%\r", "done.\n", "pro"]) stream.add(chunk);
    assert.deepEqual(shown, ["....", "....", "50%\r", "done.\n"]);
  });

  it("takes time that grows no faster than the text, whatever stands in it", () => {
    const hostile = [
      "a",
      "-eyJ",
      "eyJa.",
      "sk-",
      "token=",
      "token=a1",
      '"token": "a1b2c3D4e5F6',
      "TOKEN_KEY:",
      "://a:",
      "-----BEGIN PRIVATE KEY-----\n",
      "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
      "SG.",
      "=",
      " ",
      "passwordpassword",
    ];
    // Quadratic work on a megabyte would not come back within the suite's time.
    for (const piece of hostile) maskSecrets(piece.repeat(1_000_000 / piece.length));
    maskSecrets(randomBytes(3_000_000).toString("latin1"));
  });
});
