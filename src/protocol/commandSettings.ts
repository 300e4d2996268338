// The settings of commands: how long they may take, what they find, and what confines them.
import { loopDefaults, sandboxModes } from "./config.ts";

export const commandSettings = {
  commandTimeout: {
    type: "number",
    default: loopDefaults.toolTimeout,
    minimum: 1_000,
    maximum: 3_600_000,
    scope: "resource",
    markdownDescription: "Milliseconds after which a command is ended, unless the call asks for another limit.",
  },
  loginShell: {
    type: "boolean",
    default: true,
    scope: "machine",
    markdownDescription:
      "Run commands with the `PATH` and variables that your terminal has: your login shell is started once for each window and asked for them. Without it, commands find what the editor was started with. Takes effect with the next command; not on Windows, where they are the same.",
  },
  commandIdleTimeout: {
    type: "number",
    default: 120_000,
    minimum: 1_000,
    maximum: 3_600_000,
    scope: "resource",
    markdownDescription:
      "Milliseconds after which a command that neither prints nor computes anything is not waited for any longer: it goes on in the background, where the agent can look after it.",
  },
  sandbox: {
    type: "string",
    default: "auto",
    enum: sandboxModes,
    enumDescriptions: [
      "Commands run in a sandbox wherever the system has one: on Linux with bubblewrap, on macOS with its own.",
      "Commands run with all your rights.",
    ],
    scope: "machine",
    markdownDescription:
      "Whether commands are confined by the system: they write in the workspace and a temporary folder only, read no secrets and reach only the hosts that you allow. Where there is no sandbox, you are asked about every command.",
  },
  allowedHosts: {
    type: "string",
    default: "",
    scope: "machine",
    markdownDescription:
      "Hosts that commands in the sandbox may reach without asking, with commas between them, for example `packages.example.org, *.example.net`; `*.` stands for everything below. The same as rules that allow a host.",
  },
} as const;
