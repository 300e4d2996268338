// A workspace in a temporary folder, with the tools on it, for one test.
import assert from "node:assert/strict";
import { callContext } from "../../support/kit.ts";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CallContext, Prepared, Refusal, Tool, ToolResult } from "../../../src/engine/ports.ts";
import type { SandboxMode } from "../../../src/protocol/config.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { createSandbox } from "../../../src/scope/sandbox.ts";
import { createScope } from "../../../src/scope/scope.ts";
import { commandRecords } from "../../../src/tools/commandRecords.ts";
import { createCommands } from "../../../src/tools/commands.ts";
import { createTools } from "../../../src/tools/catalog.ts";
import { cleanEnvironment } from "../../../src/tools/environment.ts";
import { nodeFiles } from "../../../src/tools/nodeFiles.ts";
import type { Files, Workspace } from "../../../src/tools/workspace.ts";

export interface Place {
  readonly root: string;
  readonly workspace: Workspace;
  /** Where running commands are written down. */
  readonly records: string;
  readonly notes: string[];
  /** Asked when a command waits for input; null: nobody is there. */
  enter: (prompt: string) => Promise<string | null>;
  /** Asked when a command wants to reach a host. */
  reach: CallContext["reach"];
  tool(name: string): Tool;
  put(path: string, content: string | Uint8Array): Promise<void>;
  get(path: string): Promise<string>;
  prepare(name: string, params: Params): Promise<Prepared | Refusal>;
  /** Prepares and runs. */
  call(name: string, params: Params, signal?: AbortSignal): Promise<ToolResult & { readonly shown: string }>;
}

/** @param files instead of the disk's, for what an editor would say */
export async function openPlace(
  files: Files = nodeFiles(),
  sandbox: SandboxMode = "off",
): Promise<Place & AsyncDisposable> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "brain-tools-")));
  const kept = await realpath(await mkdtemp(join(tmpdir(), "brain-session-")));
  const records = commandRecords(join(kept, "running"));
  const commands = createCommands({ logFile: (_, id) => join(kept, "output", `${id}.log`), records });
  const notes: string[] = [];
  const workspace: Workspace = {
    scope: await createScope({ root }),
    files,
    sandbox: createSandbox({ mode: () => sandbox }),
    commands,
    environment: () => Promise.resolve({ ...cleanEnvironment(process.env), TEST_PLACE: root }),
    remember: (note) => {
      notes.push(note);
      return Promise.resolve({ status: "succeeded", content: "Noted." });
    },
  };
  const tools = createTools(workspace);
  const tool = (name: string): Tool => {
    const found = tools.find((tool) => tool.name === name);
    assert.ok(found, name);
    return found;
  };
  const prepare: Place["prepare"] = (name, params) => tool(name).prepare(params, new AbortController().signal, "call");
  const place: Place = {
    root,
    workspace,
    records: join(kept, "running"),
    notes,
    tool,
    prepare,
    enter: () => Promise.resolve(null),
    reach: () => Promise.resolve({ kind: "refused", why: "nobody is here" }),
    put: async (path, content) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    get: (path) => readFile(join(root, path), "utf8"),
    call: async (name, params, signal = new AbortController().signal) => {
      const ready = await prepare(name, params);
      if (ready.kind === "refused") return { status: "failed", content: ready.content, shown: "" };
      let shown = "";
      const context = callContext(signal, (chunk) => (shown += chunk));
      const result = await ready.run({
        ...context,
        enter: (prompt) => place.enter(prompt),
        reach: (...asked) => place.reach(...asked),
      });
      return { ...result, shown };
    },
  };
  return Object.assign(place, {
    async [Symbol.asyncDispose]() {
      await commands.dispose();
      await workspace.sandbox.dispose();
      for (const folder of [root, kept]) await rm(folder, { recursive: true, force: true });
    },
  });
}

/** The prepared call, or the test fails. */
export function ready(prepared: Prepared | Refusal): Prepared {
  assert.ok(prepared.kind === "prepared", JSON.stringify(prepared));
  return prepared;
}

/** The sentence of a refused call, or the test fails. */
export function refusal(prepared: Prepared | Refusal): string {
  assert.ok(prepared.kind === "refused", "it was not refused");
  return prepared.content;
}
