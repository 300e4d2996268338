// Globs as tools take them.
import picomatch from "picomatch";

/**
 * Compiles a glob. One without `/` is compared with names; else with the path from the root or from `base`, whichever fits.
 * @param base posix, relative to the root
 * @throws when it is no glob
 */
export function globTest(glob: string, base: string): (relative: string) => boolean {
  const matches = picomatch(glob, { dot: true, basename: !glob.includes("/") });
  const prefix = base === "." ? "" : `${base}/`;
  return (relative) => matches(relative) || (relative.startsWith(prefix) && matches(relative.slice(prefix.length)));
}
