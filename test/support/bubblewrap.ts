// Gets bubblewrap, which the tests of the sandbox need, where that is possible without asking anybody.
import { runToEnd } from "./run.ts";

const install = ["install", "--yes", "--no-install-recommends", "bubblewrap"];

async function works(): Promise<boolean> {
  return (await runToEnd("bwrap", ["--version"])).code === 0;
}

/** Installs it as root on Debian. Says what is skipped without it. Never fails. */
export async function ensureBubblewrap(): Promise<void> {
  if (process.platform === "linux" && process.getuid?.() === 0 && !(await works())) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    const { code } = await runToEnd("apt-get", install, { env });
    if (code !== 0 && (await runToEnd("apt-get", ["update"], { env })).code === 0)
      await runToEnd("apt-get", install, { env });
  }
  if (!(await works())) console.log("Without bubblewrap the tests of the sandbox are skipped.");
}
