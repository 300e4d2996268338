// The environment of commands: what a person's shell has, without secrets and without what belongs to the editor.

const secretWords = new Set([
  ..."KEY KEYS APIKEY TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS".split(" "),
  ..."CREDENTIAL CREDENTIALS CREDS AUTH PAT".split(" "),
]);
const editorNames = /^(?:NPM|VSCODE|ELECTRON)_/;
const unset = new Set(["CI", "FORCE_COLOR"]);

/** Commands that would wait for a person, or draw for one, must not. */
const quiet = { PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", TERM: "dumb" };

/** Takes away names that look like secrets by a whole word of them, and what would make tools ask, page or colour. */
export function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const upper = name.toUpperCase();
    const secret = upper.split("_").some((word) => secretWords.has(word));
    if (value !== undefined && !secret && !editorNames.test(upper) && !unset.has(upper)) kept[name] = value;
  }
  return { ...kept, ...quiet };
}
