// The environment of commands: what a person's shell has, without secrets and without what belongs to the editor.

const secretWords = new Set([
  ..."KEY KEYS APIKEY TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS".split(" "),
  ..."CREDENTIAL CREDENTIALS CREDS AUTH PAT".split(" "),
]);
const editorNames = /^(?:NPM|VSCODE|ELECTRON)_/;
/**
 * `CI` is not set and not passed on: it would turn warnings into errors and freeze lock files, which is not what the
 * person's own terminal does. The askers are windows, or belong to the editor.
 */
const unset = new Set(["CI", "FORCE_COLOR", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"]);

/** Commands that would wait for a person, or draw for one, must not. */
const quiet = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  // Accepts the text as it stands: an editor would wait for somebody.
  GIT_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  // Else nothing would be seen of it before its end.
  PYTHONUNBUFFERED: "1",
};

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
