// Globs as tools take them.
import picomatch from "picomatch";

/**
 * Compiles a glob. One without `/` is compared with names; else with the path from the root or from `base`, whichever fits.
 * @param base posix, relative to its root
 * @throws when it is no glob
 */
export function globTest(glob: string, base: string): (inRoot: string) => boolean {
  const matches = picomatch(glob, { dot: true, basename: !glob.includes("/") });
  const prefix = base === "." ? "" : `${base}/`;
  return (inRoot) => matches(inRoot) || (inRoot.startsWith(prefix) && matches(inRoot.slice(prefix.length)));
}
