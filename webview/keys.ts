// The names of keys on this machine.

/** True where the command key does what Ctrl does elsewhere. */
export function isMac(): boolean {
  return navigator.userAgent.includes("Mac");
}
