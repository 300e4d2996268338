// The commands of a workspace: each runs under its limits, or goes on in the background, where it can be read and stopped.
import { randomBytes, randomUUID } from "node:crypto";
import type { CallContext } from "../engine/ports.ts";
import type { Confined } from "../scope/sandbox.ts";
import { attend, type Attended, type Attending, type Hold, type Limits } from "./attending.ts";
import type { CommandRecords } from "./commandRecords.ts";
import { maskedLog } from "./maskedLog.ts";
import { outputLog, readLog, type LogPart, type OutputLog } from "./outputLog.ts";
import { startCommand, type CommandEnd, type StartedCommand } from "./process.ts";
import { isAlive } from "./processGroup.ts";

export interface CommandRequest extends Limits {
  /** As the model wrote it. */
  readonly command: string;
  /** Makes what is started, and is closed when that has ended. */
  readonly open: (hold: Hold) => Promise<Confined>;
  /** Absolute path. */
  readonly cwd: string;
}

export type CommandContext = Pick<CallContext, "signal" | "output" | "sessionId" | "toolCallId" | "enter">;

export interface CommandResult extends Attended {
  readonly id: string;
  /** What it left behind goes on. */
  readonly leftBehind: boolean;
  /** Null when it was not started. */
  readonly printed: Pick<StartedCommand, "kept" | "bytes" | "binary"> | null;
  /** All of it is on the disk. */
  readonly logged: boolean;
}

/** A command that goes on without its call. */
export interface BackgroundCommand {
  readonly id: string;
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly command: string;
}

export interface Commands {
  /** Runs a command to its end, or as long as its call waits for it. Never rejects. */
  run(request: CommandRequest, context: CommandContext): Promise<CommandResult>;
  /**
   * Lets a command that runs for a call go on in the background at once, as if the call had asked for that.
   * @param toolCallId as the panel knows it
   */
  release(toolCallId: string): void;
  /** Those that run in the background, oldest first. */
  list(): readonly BackgroundCommand[];
  /** How a command of the background has ended; null while it runs; undefined when it is none. */
  endOf(id: string): CommandEnd | null | undefined;
  /** A part of what a command of the session has printed; without an offset what comes after the last part. */
  read(id: string, sessionId: string, offset: number | undefined): Promise<LogPart | null>;
  /**
   * Ends a command of the background with all that it has started.
   * @param sessionId only one of this session
   * @returns false when there is none
   */
  stop(id: string, sessionId?: string): Promise<boolean>;
  /** Ends those of one session. */
  endSession(sessionId: string): Promise<void>;
  /** Ends all. */
  dispose(): Promise<void>;
}

export interface CommandsOptions {
  /** Where the output of a command of a session is kept. */
  readonly logFile: (sessionId: string, id: string) => string;
  readonly records: CommandRecords;
  /** Whether no secret may stand in what is kept; absent: it may. */
  readonly masks?: () => boolean;
  /** Told when the list has changed. */
  readonly changed?: (list: readonly BackgroundCommand[]) => void;
}

/** How often it is looked whether what a command has left behind is still there, in milliseconds. */
const lookEvery = 2_000;
/** Bytes of output that are read at once. */
const mostRead = 30_000;

interface Entry extends BackgroundCommand {
  readonly started: StartedCommand;
  readonly log: OutputLog;
  readonly forget: () => Promise<void>;
  end: CommandEnd | null;
}

interface Called extends Pick<Attending, "release"> {
  readonly toolCallId: string;
  readonly started: StartedCommand;
}

interface Room {
  readonly options: CommandsOptions;
  readonly entries: Map<string, Entry>;
  /** How far each has been read. */
  readonly readTo: Map<string, number>;
  /** At work for a call, by id. */
  readonly called: Map<string, Called>;
}

export function createCommands(options: CommandsOptions): Commands {
  const room: Room = { options, entries: new Map(), readTo: new Map(), called: new Map() };
  const list = (): readonly Entry[] => [...room.entries.values()].filter(({ end }) => end === null);
  const endAll = async (which: readonly Entry[]): Promise<void> => {
    await Promise.all(which.map((entry) => stop(entry, room)));
  };
  return {
    run: (request, context) => run(request, context, room),
    release(toolCallId) {
      for (const called of room.called.values())
        // Of a delegate's call only the end of its name is known here.
        if (toolCallId === called.toolCallId || toolCallId.endsWith(`/${called.toolCallId}`)) called.release();
    },
    list,
    endOf: (id) => room.entries.get(id)?.end,
    read: (id, sessionId, offset) => read({ id, sessionId, offset }, room),
    async stop(id, sessionId) {
      const entry = room.entries.get(id);
      if (!entry || entry.sessionId !== (sessionId ?? entry.sessionId)) return false;
      if (entry.end === null) await stop(entry, room);
      return true;
    },
    endSession: (sessionId) => endAll(list().filter((entry) => entry.sessionId === sessionId)),
    async dispose() {
      await Promise.all([endAll(list()), ...[...room.called.values()].map(({ started }) => started.stop("stopped"))]);
    },
  };
}

async function run(request: CommandRequest, context: CommandContext, room: Room): Promise<CommandResult> {
  const id = `cmd-${randomBytes(4).toString("hex")}`;
  const nothing = { id, leftBehind: false, unanswered: null, printed: null, logged: false };
  if (context.signal.aborted) return { ...nothing, end: { kind: "stopped" } };
  const plain = outputLog(room.options.logFile(context.sessionId, id));
  const log = room.options.masks?.() ? maskedLog(plain) : plain;
  const { command, cwd } = request;
  const attending = attend(request, context);
  let close = (): void => undefined;
  try {
    const opened = await request.open(attending.hold);
    ({ close } = opened);
    const line = { launch: opened.launch, cwd, input: request.input ? "open" : "closed", mark: randomUUID() } as const;
    const started = await startCommand(line, log, context.output);
    room.called.set(id, { toolCallId: context.toolCallId, started, release: attending.release });
    const taken = await room.options.records.add(started.family);
    const forget = (): Promise<void> => {
      close();
      return taken();
    };
    const { end, unanswered } = await attending.until(started);
    room.called.delete(id);
    const about = { id, toolCallId: context.toolCallId, sessionId: context.sessionId, command };
    const leftBehind = end.kind !== "background" && started.leftBehind();
    const entry: Entry = { ...about, started, log, forget, end: null };
    if (end.kind === "background" || leftBehind) handOver(entry, room);
    else await Promise.all([log.close(), forget()]);
    return { end, id, leftBehind, unanswered, printed: started, logged: log.kept() };
  } catch (error) {
    close();
    const message = error instanceof Error ? error.message : String(error);
    return { ...nothing, end: { kind: "notStarted", message } };
  }
}

function handOver(entry: Entry, room: Room): void {
  entry.log.keep();
  entry.started.unwatch();
  // Nobody is asked any more: what waits for input must not wait for ever.
  entry.started.type(null);
  room.entries.set(entry.id, entry);
  void entry.started.ended.then((end) => {
    if (entry.started.leftBehind()) watchLeft(entry, end, room);
    else finish(entry, end, room);
  });
  tell(room);
}

function watchLeft(entry: Entry, end: CommandEnd, room: Room): void {
  const timer = setInterval(() => {
    void isAlive(entry.started.family).then((alive) => {
      if (alive && entry.end === null) return;
      clearInterval(timer);
      finish(entry, end, room);
    });
  }, lookEvery);
  timer.unref();
}

function finish(entry: Entry, end: CommandEnd, room: Room): void {
  if (entry.end !== null) return;
  entry.end = end;
  void Promise.all([entry.log.close(), entry.forget()]);
  tell(room);
}

async function stop(entry: Entry, room: Room): Promise<void> {
  await entry.started.stop("stopped");
  await entry.started.ended;
  await entry.forget();
  finish(entry, { kind: "stopped" }, room);
}

function tell({ options, entries }: Room): void {
  options.changed?.([...entries.values()].filter(({ end }) => end === null));
}

interface Reading {
  readonly id: string;
  readonly sessionId: string;
  readonly offset: number | undefined;
}

async function read({ id, sessionId, offset }: Reading, { options, entries, readTo }: Room): Promise<LogPart | null> {
  if (!/^cmd-[0-9a-f]{8}$/.test(id)) return null;
  await entries.get(id)?.log.flush();
  const part = await readLog(options.logFile(sessionId, id), offset ?? readTo.get(id) ?? 0, mostRead);
  if (part) readTo.set(id, part.to);
  return part;
}
