// Whether a process that has left its mark in a file is still there.
import { codeOf } from "./files.ts";

/** @param process one of this host; `started`: milliseconds since 1970, because pids are used again */
export function isGone({ pid, started }: { pid: number; started: number }): boolean {
  if (pid === process.pid) return started !== performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}
