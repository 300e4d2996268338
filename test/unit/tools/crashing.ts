// A window that crashes: starts a command in the background, says so, and is killed by the test.
import { commandRecords } from "../../../src/tools/commandRecords.ts";
import { createCommands } from "../../../src/tools/commands.ts";
import { cleanEnvironment } from "../../../src/tools/environment.ts";
import { shellLaunch } from "../../../src/tools/launch.ts";
import { callContext } from "../../support/kit.ts";

const [folder = "", command = "", place = ""] = process.argv.slice(2);
const records = commandRecords(`${folder}/running`);
const commands = createCommands({ logFile: (_, id) => `${folder}/output/${id}.log`, records });
const env = { ...cleanEnvironment(process.env), TEST_PLACE: place };
const context = callContext(new AbortController().signal);
const open = () => Promise.resolve({ launch: shellLaunch(command, env), close: () => undefined });
const limits = { timeout: 200, idle: 60_000, background: true, input: false };
await commands.run({ command, open, cwd: folder, ...limits }, context);
process.stdout.write("running\n");
