// The environment of commands.
import assert from "node:assert/strict";
import { cleanEnvironment } from "../../../src/tools/environment.ts";

describe("The environment of commands", () => {
  it("is without secrets, without the editor's own names, and quiet", () => {
    const kept = {
      PATH: "/bin",
      HOME: "/h",
      LANG: "C",
      KEYBOARD: "de",
      MONKEY: "1",
      AUTHOR: "me",
      PWD: "/",
      TOKENIZER: "x",
    };
    const dropped = {
      OPENAI_API_KEY: "1",
      GH_TOKEN: "1",
      github_token: "1",
      AWS_SECRET_ACCESS_KEY: "1",
      DB_PASSWORD: "1",
      PASSWORD: "1",
      GOOGLE_APPLICATION_CREDENTIALS: "1",
      SSH_AUTH_SOCK: "1",
      npm_config_registry: "1",
      NPM_TOKEN: "1",
      VSCODE_IPC_HOOK: "1",
      ELECTRON_RUN_AS_NODE: "1",
      CI: "1",
      SSH_ASKPASS: "/editor/ask",
      FORCE_COLOR: "3",
      nothing: undefined,
    };
    assert.deepEqual(cleanEnvironment({ ...kept, ...dropped, PAGER: "less", EDITOR: "vi", TERM: "xterm" }), {
      ...kept,
      PAGER: "cat",
      GIT_PAGER: "cat",
      MANPAGER: "cat",
      SYSTEMD_PAGER: "cat",
      GIT_EDITOR: "true",
      EDITOR: "true",
      VISUAL: "true",
      GIT_TERMINAL_PROMPT: "0",
      GCM_INTERACTIVE: "never",
      DEBIAN_FRONTEND: "noninteractive",
      PIP_NO_INPUT: "1",
      PYTHONUNBUFFERED: "1",
      TERM: "dumb",
    });
  });
});
