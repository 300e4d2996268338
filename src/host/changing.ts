// What calls have changed and a person may keep or undo, put together: the list, the source control that shows it, and the commands.
import type * as vscode from "vscode";
import type { PanelEvent } from "../protocol/events.ts";
import { createChangedList } from "./changedList.ts";
import { createChangesCommands } from "./changesCommands.ts";
import { createChangesControl } from "./changesControl.ts";
import type { UndoingParts } from "./undoing.ts";

export interface ChangingParts extends UndoingParts {
  readonly state: Pick<vscode.Memento, "get" | "update">;
  readonly log: (message: string) => void;
}

export interface Changing extends vscode.Disposable {
  readonly event: (event: PanelEvent) => void;
  readonly commands: ReturnType<typeof createChangesCommands>;
}

export function createChanging(parts: ChangingParts): Changing {
  const { state, fold } = parts;
  const list = createChangedList(parts);
  // Where there is nothing to mark the next window needs no Brain before somebody uses it.
  const control = createChangesControl(list, fold.view, (any) => {
    if (state.get("brain.changed", false) !== any) void state.update("brain.changed", any);
  });
  return {
    event(event) {
      list.event(event);
      if (event.type === "session:open" || event.type === "session:earlier") void tellInterrupted(parts);
    },
    commands: createChangesCommands({ ...parts, list, control }),
    dispose() {
      list.dispose();
      control.dispose();
    },
  };
}

/** What a command did that never ended is in no transcript: it is found out when its session is opened again. Never throws. */
async function tellInterrupted({ fold, workspace, log }: ChangingParts): Promise<void> {
  try {
    const { id } = fold.view().session;
    const found = id === null ? [] : await workspace.open().composition.changes.interrupted(id);
    if (fold.view().session.id !== id) return;
    for (const changes of found) fold.event({ type: "call:changes", ...changes });
  } catch (error) {
    log(`What an interrupted command has changed is not known: ${String(error)}`);
  }
}
