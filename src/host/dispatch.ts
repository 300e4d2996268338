// Which message goes to the model when: one run at a time, the rest in order, and no message lost, sent twice or to another session.
import { validateMessage } from "../engine/intake.ts";
import type { Outcome, Run } from "../engine/run.ts";
import { LoopError } from "../protocol/errors.ts";
import type { LoopEvent, QueuedMessage } from "../protocol/events.ts";
import type { RunStatus } from "../protocol/messages.ts";
import type { Todo, TodoEdit } from "../protocol/todos.ts";
import type { SubmitHow } from "../protocol/wire.ts";
import {
  arrived,
  atEnd,
  enqueue,
  moved,
  returned,
  rewritten,
  sent,
  shownQueue,
  toFront,
  withdrawn,
  withEdit,
  withoutEdits,
  type Stored,
  type Waiting,
} from "./queue.ts";
import type { Queues } from "./queues.ts";

/** A message as a person sends it. */
export type Sent = Omit<Stored, "id">;

export type DispatchedRun = Pick<Run, "sessionId" | "result" | "steer" | "keepTodos" | "stop">;

export interface DispatchOptions {
  /** Starts a run in the open session. Throws when it cannot. */
  readonly start: (message: Sent, heard: (event: LoopEvent) => void) => DispatchedRun;
  /** Null: a new one, which gets its id with its first run. */
  readonly openSession: () => string | null;
  readonly queues: Queues;
  /** Told what waits in the open session whenever that has changed. */
  readonly changed: (queue: readonly QueuedMessage[]) => void;
  /** Told of a waiting message that could not be sent; it still waits. */
  readonly failed: (error: unknown) => void;
  readonly ids: () => string;
}

export interface Dispatch {
  readonly running: () => boolean;
  /** Nothing runs, and nothing is being changed or opened. */
  readonly idle: () => boolean;
  /**
   * Takes a message: it starts a run, or waits, or goes into the run that is going on.
   * Rejects with LoopError `message_empty`, `message_too_long`, `session_busy`: then it was not taken.
   * @returns how its run ended; null when it did not start one at once
   */
  readonly submit: (text: string, how: SubmitHow, parts?: Stored["parts"]) => Promise<Outcome | null>;
  /** Sends a waiting message now; one that does not wait any more is left alone. */
  readonly send: (id: string, how: SubmitHow) => Promise<void>;
  readonly remove: (id: string) => void;
  /**
   * Gives a waiting message another text; one that does not wait any more is left alone.
   * Throws LoopError `message_empty` or `message_too_long`: then it is as it was.
   */
  readonly edit: (id: string, text: string) => void;
  /** Moves a waiting message so many places back, or to the front. */
  readonly move: (id: string, by: number) => void;
  /**
   * Hands the run an edit of the to-dos with the list that it makes, and keeps it until a run has written it down.
   * False when no run goes on.
   */
  readonly keepTodos: (edit: TodoEdit, todos: readonly Todo[]) => boolean;
  /** Ends the run, if there is one, and waits until it has ended. What waits goes on waiting. */
  readonly stop: () => Promise<void>;
  /**
   * Starts a run that answers no message: what is sent meanwhile waits.
   * Rejects with LoopError `session_busy` when a run is going on.
   */
  readonly work: (start: () => DispatchedRun) => Promise<Outcome>;
  /**
   * Changes the open session while nothing runs in it; until that is done no message is taken.
   * Rejects with LoopError `session_busy` when a run is going on.
   */
  readonly change: <T>(work: () => Promise<T>) => Promise<T>;
  /** Ends the run, then does what changes the open session; until that is done no message is taken. */
  readonly leave: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The run that is going on. */
interface Active {
  readonly run: DispatchedRun;
  readonly ended: Promise<Outcome>;
  /** A person has stopped it. */
  stopped: boolean;
  /** The message that is sent once it has ended, however it ends. */
  next: string | null;
}

interface Desk {
  readonly options: DispatchOptions;
  active: Active | null;
  /** How many changes of the open session are under way. */
  leaving: number;
  /** A message that came to nothing: sending its text again means this one, with what went with it. */
  refused: Stored | null;
}

/** After which ends the next message is sent by itself: the person has not stopped anything, and nothing is wrong. */
const goesOn: Readonly<Record<RunStatus, boolean>> = {
  completed: true,
  completed_with_errors: true,
  max_iterations: true,
  timeout: false,
  aborted: false,
  stalled: false,
  refusal: false,
  error: false,
};

export function createDispatch(options: DispatchOptions): Dispatch {
  const desk: Desk = { options, active: null, leaving: 0, refused: null };
  let left: Promise<unknown> = Promise.resolve();
  return {
    running: () => desk.active !== null,
    idle: () => desk.active === null && desk.leaving === 0,
    submit: (text, how, parts) => submit(desk, { text, ...(parts?.length && { parts }) }, how),
    send: (id, how) => send(desk, id, how),
    remove: (id) => updateOpen(desk, (waiting) => withdrawn(waiting, id)),
    edit(id, text) {
      validateMessage(text);
      updateOpen(desk, (waiting) => rewritten(waiting, id, text));
    },
    move: (id, by) => updateOpen(desk, (waiting) => moved(waiting, id, by)),
    keepTodos: (edit, todos) => keepTodos(desk, edit, todos),
    stop: () => stop(desk),
    work: (start) => work(desk, start),
    change: (work) => change(desk, work),
    leave(work) {
      desk.leaving++;
      const done = left.then(async () => {
        try {
          await stop(desk);
          return await work();
        } finally {
          desk.leaving--;
        }
      });
      left = done.catch(() => undefined);
      return done;
    },
  };
}

async function submit(desk: Desk, said: Sent, how: SubmitHow): Promise<Outcome | null> {
  validateMessage(said.text);
  checkOpen(desk);
  const { active, refused } = desk;
  const { queues, openSession, ids } = desk.options;
  const message = { id: ids(), ...said };
  if (active) {
    place(desk, active, message, how);
    return null;
  }
  if (refused?.text !== said.text || said.parts) return launch(desk, message);
  const again = queues.of(openSession()).queue.find(({ id, text }) => id === refused.id && text === refused.text);
  return launch(desk, again ?? { ...message, ...(refused.parts && { parts: refused.parts }) });
}

async function send(desk: Desk, id: string, how: SubmitHow): Promise<void> {
  const { queues, openSession } = desk.options;
  const session = openSession();
  const message = queues.of(session).queue.find((waiting) => waiting.id === id);
  if (!message || session === null) return;
  checkOpen(desk);
  const { active } = desk;
  if (!active) await launch(desk, message);
  else if (how === "queue" && !active.stopped) update(desk, session, (waiting) => toFront(waiting, message, null));
  else place(desk, active, message, how);
}

function keepTodos(desk: Desk, edit: TodoEdit, todos: readonly Todo[]): boolean {
  if (!desk.active) return false;
  const { run } = desk.active;
  update(desk, run.sessionId, (waiting) => withEdit(waiting, edit, todos));
  // One that takes nothing more leaves it to the next.
  run.keepTodos(todos);
  return true;
}

function checkOpen({ leaving }: Desk): void {
  if (leaving > 0)
    throw new LoopError("session_busy", "Another session is being opened, or this one is being changed.");
}

/** Throws when anything is going on in the session. */
function checkIdle(desk: Desk): void {
  checkOpen(desk);
  if (desk.active) throw new LoopError("session_busy", "A run is going on here.");
}

async function work(desk: Desk, start: () => DispatchedRun): Promise<Outcome> {
  checkIdle(desk);
  const run = start();
  const ended = run.result.then((outcome) => {
    end(desk, active, outcome);
    return outcome;
  });
  const active: Active = { run, ended, stopped: false, next: null };
  desk.active = active;
  return ended;
}

async function change<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
  checkIdle(desk);
  desk.leaving++;
  try {
    return await work();
  } finally {
    desk.leaving--;
  }
}

async function stop({ active }: Desk): Promise<void> {
  if (!active) return;
  active.stopped = true;
  active.next = null;
  active.run.stop();
  await active.ended;
}

/** Finds a message its place while a run is going on. */
function place(desk: Desk, active: Active, message: Stored, how: SubmitHow): void {
  const { run, stopped } = active;
  // Who writes after Stop does not want to wait for what is being stopped.
  switch (stopped ? "interrupt" : how) {
    case "queue":
      return update(desk, run.sessionId, (waiting) => enqueue(waiting, message));
    case "steer": {
      const change = run.steer(message.text, message.parts) ? sent : atEnd;
      return update(desk, run.sessionId, (waiting) => change(waiting, message));
    }
    case "interrupt":
      update(desk, run.sessionId, (waiting) => toFront(waiting, message, active.next));
      active.next ??= message.id;
      run.stop();
  }
}

/** Starts a run with a message. Throws when it cannot: then nothing has changed. */
function launch(desk: Desk, message: Stored): Promise<Outcome> {
  const { queues, openSession, start } = desk.options;
  const waited = queues.of(openSession()).queue.some(({ id }) => id === message.id);
  const sending: Sending = { message, sessionId: "", begun: false };
  const run = start(message, (event) => follow(desk, sending, event));
  const ended = run.result.then((outcome) => {
    // One that has never waited is shown with why it failed, and can be sent again from there.
    if (!sending.begun && !waited) update(desk, run.sessionId, (waiting) => arrived(waiting, isThe(message)));
    desk.refused = sending.begun && outcome.status !== "error" ? null : message;
    end(desk, active, outcome);
    return outcome;
  });
  const active: Active = { run, ended, stopped: false, next: null };
  desk.active = active;
  return ended;
}

/** The message that a run begins with. */
interface Sending {
  readonly message: Stored;
  sessionId: string;
  /** It is in the transcript. */
  begun: boolean;
}

function follow(desk: Desk, sending: Sending, event: LoopEvent): void {
  const { message } = sending;
  const change = (next: (waiting: Waiting) => Waiting): void => update(desk, sending.sessionId, next);
  if (event.type === "loop:start") {
    sending.sessionId = event.sessionId;
    change((waiting) => sent(waiting, message));
  } else if (event.type === "run:handover" && desk.active) {
    // The session is another window's from here on: nothing of what waits is sent by itself.
    desk.active.stopped = true;
    desk.active.next = null;
  } else if (event.type === "message:user") {
    change((waiting) => arrived(waiting, ({ text }) => text === event.content));
  } else if (event.type === "todos:changed") {
    change(withoutEdits);
  } else if (!sending.begun && (event.type === "loop:context" || event.type === "loop:persist")) {
    sending.begun = true;
    change((waiting) => arrived(waiting, isThe(message)));
  }
}

function end(desk: Desk, { run, next, stopped }: Active, { status }: Outcome): void {
  const { queues, failed } = desk.options;
  desk.active = null;
  update(desk, run.sessionId, returned);
  const { queue } = queues.of(run.sessionId);
  const first = next === null && !stopped && goesOn[status] ? queue[0] : undefined;
  const message = queue.find(({ id }) => id === next) ?? first;
  if (!message || desk.leaving > 0) return;
  try {
    launch(desk, message).catch(failed);
  } catch (error) {
    failed(error);
  }
}

function update({ options }: Desk, sessionId: string, change: (waiting: Waiting) => Waiting): void {
  const { queues, openSession, changed } = options;
  const before = queues.of(sessionId);
  const after = change(before);
  if (after === before) return;
  queues.set(sessionId, after);
  if (after.queue !== before.queue && sessionId === openSession()) changed(shownQueue(after));
}

function updateOpen(desk: Desk, change: (waiting: Waiting) => Waiting): void {
  const session = desk.options.openSession();
  if (session !== null) update(desk, session, change);
}

function isThe({ id }: Stored): (message: Stored) => boolean {
  return (message) => message.id === id;
}
