// Every error a person can meet: its code, its status, what to do next; and the one class that carries it.

/** What the panel offers as a button beside an error. */
export type ErrorAction =
  "setKey" | "openSettings" | "selectModel" | "setUpModel" | "retry" | "openFolder" | "trust" | "openAgent";

interface ErrorKind {
  /** The status the specification gives, or the nearest in HTTP's words (C-37). */
  readonly status: number;
  /** One sentence for the person: what to do. */
  readonly next: string;
  readonly action?: ErrorAction;
}

const errorKinds = {
  message_empty: { status: 400, next: "Type what Brain should do, then send it." },
  message_too_long: { status: 400, next: "Shorten the message, or put the long part into a file and name the file." },
  no_workspace: { status: 400, next: "Open a folder, so that Brain has a place to work in.", action: "openFolder" },
  untrusted_workspace: { status: 403, next: "Trust this folder to let Brain edit and run.", action: "trust" },
  bad_setting: { status: 400, next: "Correct the setting.", action: "openSettings" },
  bad_usage: { status: 400, next: "See `brain --help`." },
  agent_not_found: { status: 404, next: "Pick another agent, or create it with “Brain: Create Agent”." },
  agent_invalid: { status: 400, next: "Correct the lines named here, then send again.", action: "openAgent" },
  input_invalid: { status: 400, next: "Give the agent this input in the form that its file asks for." },
  tool_invalid: { status: 400, next: "Give the tool an activity, or take its name out." },
  tool_unknown: { status: 400, next: "Register a handler of this name, or take the tool out of the prompt." },
  endpoint_refused: { status: 403, next: "Allow this endpoint, or take the connection out of the agent's file." },
  guardrail_denied: { status: 403, next: "Change what is sent, or the guardrail that refuses it." },
  iterations_exceeded: { status: 508, next: "Allow more iterations, or give the agent less to do at once." },
  run_cancelled: { status: 499, next: "Start it again." },
  session_not_found: { status: 404, next: "Pick another session, or start a new one." },
  entry_not_found: { status: 404, next: "Choose a message of this session." },
  title_invalid: { status: 400, next: "Give a title of one line, up to 200 characters." },
  session_terminated: { status: 410, next: "Start a new session." },
  nothing_to_undo: { status: 410, next: "Undo in your editor, or by git, may have what you look for." },
  summary_refused: { status: 409, next: "Change or undo the newest summary of this conversation instead." },
  session_busy: { status: 503, next: "Wait for the other run to end, or stop it, then send again.", action: "retry" },
  queue_timeout: {
    status: 503,
    next: "Wait for the other runs to end, or stop them, then send again.",
    action: "retry",
  },
  key_missing: { status: 401, next: "Set an API key for this endpoint.", action: "setKey" },
  key_rejected: { status: 401, next: "Set a key that this endpoint accepts.", action: "setKey" },
  access_denied: { status: 403, next: "Choose a model that this key may use.", action: "selectModel" },
  model_not_found: { status: 404, next: "Choose a model that this endpoint has.", action: "selectModel" },
  editor_models_missing: {
    status: 401,
    next: "Sign in to GitHub Copilot in VS Code, or add another extension with models; or set up another model.",
    action: "setUpModel",
  },
  consent_missing: { status: 403, next: "Try again, and allow it when VS Code asks.", action: "retry" },
  endpoint_unreachable: {
    status: 503,
    next: "Check the address in the settings, and that the server is running.",
    action: "openSettings",
  },
  rate_limited: { status: 429, next: "Wait a little, then try again.", action: "retry" },
  quota_exhausted: {
    status: 402,
    next: "Check the plan of this account, or choose another model.",
    action: "selectModel",
  },
  context_overflow: { status: 413, next: "Start a new session, or ask for less at once." },
  request_refused: { status: 400, next: "Choose another model, or correct the settings.", action: "selectModel" },
  provider_failed: { status: 502, next: "Try again; if it stays, choose another model.", action: "retry" },
  reply_malformed: {
    status: 502,
    next: "Try again; if it stays, check that the endpoint speaks this API.",
    action: "retry",
  },
  reply_stalled: { status: 504, next: "Try again; what had arrived is kept.", action: "retry" },
  budget_spent: {
    status: 402,
    next: "Send a message to go on, or raise the limit in the settings.",
    action: "openSettings",
  },
  run_timeout: { status: 504, next: "Send a message to go on from here." },
  disk_write: { status: 507, next: "Free some space, or make the .brain folder writable." },
  internal: { status: 500, next: "Try again; “Brain: Show Log” has the details.", action: "retry" },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof errorKinds;

/** An error as it travels: in events, on the command line, in the transcript. Plain data. */
export interface Failure {
  readonly code: ErrorCode;
  readonly status: number;
  /** What happened, in one sentence. */
  readonly message: string;
  /** What to do about it, in one sentence. */
  readonly next: string;
  readonly action?: ErrorAction | undefined;
  /** One line for each single problem, when there are several. */
  readonly details?: readonly string[] | undefined;
}

/** The one exception that crosses rooms. `run.ts` catches it and turns it into `loop:error`. */
export class LoopError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly string[] | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: readonly string[] } = {}) {
    super(message, { cause: options.cause });
    this.name = "LoopError";
    this.code = code;
    this.details = options.details;
  }
}

/**
 * Turns whatever was thrown into what a person can read.
 * @param thrown a LoopError, or anything else (then `internal`)
 */
export function toFailure(thrown: unknown): Failure {
  const error = thrown instanceof LoopError ? thrown : new LoopError("internal", sentence(thrown), { cause: thrown });
  const kind: ErrorKind = errorKinds[error.code];
  return {
    code: error.code,
    status: kind.status,
    message: error.message,
    next: kind.next,
    ...(kind.action && { action: kind.action }),
    ...(error.details && { details: error.details }),
  };
}

/** A failure as a transcript kept it. A code that this version does not know becomes `internal`. */
export function storedFailure(stored: Readonly<Record<string, unknown>>): Failure {
  const { code, status, message, next, action, details } = stored;
  const kinds: readonly ErrorKind[] = Object.values(errorKinds);
  const own = kinds.find((kind) => kind.action !== undefined && kind.action === action)?.action;
  return {
    code: isErrorCode(code) ? code : "internal",
    status: Number(status),
    message: String(message),
    next: String(next),
    ...(own && { action: own }),
    ...(Array.isArray(details) && { details: details.map(String) }),
  };
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorKinds, code);
}

function sentence(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text === "" ? "Something failed inside Brain." : `Something failed inside Brain: ${text}`;
}
