// What the model reads of a command that has run, or goes on: its output, how it ended, and what to know of it.
import type { ToolResult } from "../engine/ports.ts";
import { refusedHosts, type RefusedHost } from "./askedHosts.ts";
import type { CommandResult } from "./commands.ts";
import { stoppedBySandbox } from "./confinement.ts";
import { looksAsking } from "./inputWatch.ts";
import { failed, succeeded } from "./tool.ts";

/** Characters of the beginning, and as many of the end, that the model reads. */
const mostShown = 20_000;

/** What the call had asked for, and what was refused to its command. */
interface Asked {
  readonly timeout: number;
  readonly idle: number;
  readonly input: boolean;
  readonly confined: boolean;
  readonly refused: readonly RefusedHost[];
}

/** What the model reads of a command. */
export function commandInWords(result: CommandResult, asked: Asked): ToolResult {
  const { end } = result;
  const shown = shownOf(result);
  const notes = notesOn(result, asked);
  switch (end.kind) {
    case "exited":
      if (end.code !== 0) return failed(`${shown}\n\nexit code ${end.code}${notes}`);
      return { ...succeeded(`${shown}\n\nexit code 0${notes}`), value: result.printed?.kept.text() ?? "" };
    case "killed":
      return failed(`${shown}\n\nended by ${end.signal}${notes}`);
    case "background": {
      const why = end.idle ? ` since it has printed nothing for ${asked.idle / 1_000} s and seems to wait` : "";
      return succeeded(
        `${shown}\n\nstill running, in the background${why}, as ${result.id}: read_output reads what it prints from now on, stop_command ends it.${notes}`,
      );
    }
    case "timeout":
      return failed(
        `${shown}\n\nended by SIGTERM after ${asked.timeout / 1_000} s: that was the limit. If it needs longer, pass a larger timeout_ms; if it is not meant to end, background.${notes}`,
      );
    case "stopped":
      return failed(`${shown}\n\nended by SIGTERM: the call was stopped.`);
    case "notStarted":
      return failed(`The command was not started: ${end.message}`);
  }
}

function shownOf({ printed, logged, id }: CommandResult): string {
  if (printed === null || printed.bytes() === 0) return "(no output)";
  if (printed.binary()) return `(binary output, ${printed.bytes()} bytes${logged ? `; kept as ${id}` : ""})`;
  const rest = logged ? `; read_output with id ${id} reads them from any byte of ${printed.bytes()}` : "";
  const text = printed.kept.text(mostShown, rest).trimEnd();
  return text === "" ? "(no output)" : text;
}

/** What else the model should know of it; `""` for nothing. */
function notesOn(result: CommandResult, asked: Asked): string {
  const { unanswered, leftBehind, id } = result;
  const notes = [
    unanswered !== null &&
      `It waited for input after “${unanswered.trim()}”: nobody typed anything, so its input was ended.`,
    isFailure(result) && adviceOnInput(result, asked),
    leftBehind &&
      `What it started and did not wait for goes on in the background as ${id}: read_output reads what it prints, stop_command ends it.`,
  ];
  const said = notes.map((note) => (note === false || note === "" ? "" : `\n${note}`)).join("");
  return said + (asked.refused.length > 0 ? refusedHosts(asked.refused) : wallsOf(result, asked));
}

function adviceOnInput({ printed }: CommandResult, { input }: Asked): string {
  const asking = !input && looksAsking(printed?.kept.lastLine() ?? "");
  return asking
    ? "It seems to have asked something, and its input is empty. Pass what keeps it from asking, or set input so that the person can answer."
    : "";
}

function wallsOf(result: CommandResult, { confined }: Asked): string {
  return isFailure(result) && confined ? stoppedBySandbox(result.printed?.kept.text() ?? "") : "";
}

function isFailure({ end }: CommandResult): boolean {
  return end.kind !== "background" && !(end.kind === "exited" && end.code === 0);
}
