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
await commands.run(
  { command, launch: shellLaunch(command, env), cwd: folder, timeout: 200, background: true, input: false },
  context,
);
process.stdout.write("running\n");
