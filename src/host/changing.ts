// What calls have changed and a person may keep or undo, put together: the list, the source control that shows it, and the commands.
import type * as vscode from "vscode";
import type { PanelEvent } from "../protocol/events.ts";
import { createChangedList } from "./changedList.ts";
import { createChangesCommands } from "./changesCommands.ts";
import { createChangesControl } from "./changesControl.ts";
import type { UndoingParts } from "./undoing.ts";

export interface ChangingParts extends UndoingParts {
  readonly state: vscode.Memento;
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
    event: list.event,
    commands: createChangesCommands({ ...parts, list, control }),
    dispose() {
      list.dispose();
      control.dispose();
    },
  };
}
