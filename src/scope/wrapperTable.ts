// Programs that run the program that stands after their own options: which options those are.

export interface Wrapper {
  /** `clear`: it does nothing by itself. `named`: as somebody else, elsewhere, or from the network. */
  readonly wraps: "clear" | "named";
  /** Letters of short options that stand alone, and long ones, separated by spaces. */
  readonly flags?: string;
  /** Options with a value of their own. */
  readonly valued?: string;
  /** Options whose value, or what follows them, is a line for a shell. */
  readonly script?: string;
  /** Words of its own before the program: `timeout 10 npm test`. */
  readonly skips?: number;
  /** `NAME=value` may stand before the program. */
  readonly assigns?: true;
  /** It adds words that only it knows. */
  readonly adds?: true;
  /** Its words are joined to a line for a shell. */
  readonly joins?: true;
  /** A word that must come first: `npm exec`. */
  readonly verbs?: string;
}

const launcher: Wrapper = { wraps: "named", flags: "-y --yes --no-install --no -q --quiet", valued: "-p --package" };
const elevated: Wrapper = {
  wraps: "named",
  flags: "-E -H -n -k -S -b --non-interactive --preserve-env",
  valued: "-u --user -g --group -h --host -p --prompt",
  assigns: true,
};

export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    wraps: "clear",
    flags: "-i - -0 --ignore-environment --null -v",
    valued: "-u --unset -C --chdir",
    script: "-S --split-string",
    assigns: true,
  },
  "cross-env": { wraps: "clear", assigns: true },
  nohup: { wraps: "clear" },
  setsid: { wraps: "clear", flags: "-c -f -w --fork --wait --ctty" },
  nice: { wraps: "clear", valued: "-n --adjustment" },
  ionice: { wraps: "clear", flags: "-t", valued: "-c -n --class --classdata" },
  time: { wraps: "clear", flags: "-p -v -a", valued: "-f --format" },
  timeout: {
    wraps: "clear",
    flags: "-v --foreground --preserve-status",
    valued: "-s -k --signal --kill-after",
    skips: 1,
  },
  gtimeout: {
    wraps: "clear",
    flags: "--foreground --preserve-status",
    valued: "-s -k --signal --kill-after",
    skips: 1,
  },
  stdbuf: { wraps: "clear", valued: "-i -o -e --input --output --error" },
  command: { wraps: "clear", flags: "-p" },
  builtin: { wraps: "clear" },
  exec: { wraps: "clear", flags: "-c -l", valued: "-a" },
  busybox: { wraps: "clear" },
  toybox: { wraps: "clear" },
  xargs: {
    wraps: "clear",
    flags: "-0 -r -t -x --null --no-run-if-empty --verbose",
    valued: "-I -n -P -d -L -s -E --max-args --max-procs --delimiter --replace --max-lines",
    adds: true,
  },
  watch: {
    wraps: "clear",
    flags: "-d -t -e -g -c -b --differences --no-title --color",
    valued: "-n --interval",
    joins: true,
  },
  eval: { wraps: "clear", joins: true },
  flock: { wraps: "clear", flags: "-n -x -s -u -e", valued: "-w -E", script: "-c --command", skips: 1 },
  caffeinate: { wraps: "clear", flags: "-d -i -m -s -u", valued: "-t" },
  sudo: elevated,
  doas: elevated,
  pkexec: elevated,
  chroot: { wraps: "named", skips: 1 },
  strace: { wraps: "named", flags: "-f -c -q -t", valued: "-e -o -s -p" },
  npx: { ...launcher, script: "-c --call" },
  bunx: launcher,
  pnpx: launcher,
  uvx: { wraps: "named", valued: "--from --with" },
  npm: { ...launcher, script: "-c --call", verbs: "exec x" },
  pnpm: { ...launcher, verbs: "exec dlx" },
  yarn: { ...launcher, verbs: "exec dlx" },
  bun: { ...launcher, verbs: "x" },
  pipx: { wraps: "named", verbs: "run" },
  uv: { wraps: "named", valued: "--with --python --extra", verbs: "run" },
  poetry: { wraps: "named", verbs: "run" },
  pipenv: { wraps: "named", verbs: "run" },
  bundle: { wraps: "named", verbs: "exec" },
};
