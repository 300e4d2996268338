// A Python environment in the workspace's folder, as a terminal has it in which it was activated.
import { existsSync } from "node:fs";
import path from "node:path";

/**
 * The environment with the programs of the folder's `.venv` first, where it has one; else the same. What is in there was
 * made by the folder's own commands.
 */
export function withVirtualEnvironment(
  env: Readonly<Record<string, string>>,
  folder: string,
): Readonly<Record<string, string>> {
  const own = path.join(folder, ".venv");
  const programs = path.join(own, "bin");
  if (!existsSync(path.join(own, "pyvenv.cfg")) || !existsSync(path.join(programs, "python"))) return env;
  const { PYTHONHOME: _other, ...kept } = env;
  const { PATH = "" } = env;
  return { ...kept, VIRTUAL_ENV: own, PATH: PATH === "" ? programs : `${programs}${path.delimiter}${PATH}` };
}
