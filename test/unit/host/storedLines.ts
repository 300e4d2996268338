// Lines in memory as the panel reads a stored session: from its end, and as it grows; nobody else has it.
import type { SessionStore } from "../../../src/brain/sessions.ts";
import type { Followed } from "../../../src/brain/follow.ts";
import { LoopError } from "../../../src/protocol/errors.ts";
import type { Entry } from "../../../src/protocol/messages.ts";

export function storedLines(lines: readonly Entry[]): Followed & Pick<SessionStore, "fork"> {
  const found = <T>(id: string, value: T): Promise<T> =>
    lines.length > 0 ? Promise.resolve(value) : Promise.reject(new LoopError("session_not_found", `No ${id}.`));
  const mark = () => ({ file: 1, to: lines.length });
  return {
    readTail: (id) => found(id, { entries: lines, begin: null, mark: mark(), title: "" }),
    readGrowth: (id, { to }) => found(id, { entries: lines.slice(to), mark: mark() }),
    owner: (id) => found(id, null),
    askOwner: () => Promise.reject(new Error("not here")),
    watch: () => () => undefined,
    fork: () => Promise.reject(new Error("not here")),
  };
}
