// What is drawn only once there is something to show it for: fetched beside the first paint, so that it is not waited for.
import { Announcer } from "./announce.tsx";
import { ContextRow } from "./contextRow.tsx";
import { MessageActions } from "./messageActions.tsx";
import { PendingList } from "./pending.tsx";
import { PlanSteps } from "./planSteps.tsx";
import { Queue } from "./queue.tsx";
import { CallChanges, UndoRun } from "./undo.tsx";
import { WaysMenu } from "./waysMenu.tsx";

export interface Later {
  readonly Announcer: typeof Announcer;
  readonly CallChanges: typeof CallChanges;
  readonly ContextRow: typeof ContextRow;
  readonly MessageActions: typeof MessageActions;
  readonly PendingList: typeof PendingList;
  readonly PlanSteps: typeof PlanSteps;
  readonly Queue: typeof Queue;
  readonly UndoRun: typeof UndoRun;
  readonly WaysMenu: typeof WaysMenu;
}

export const later: Later = {
  Announcer,
  CallChanges,
  ContextRow,
  MessageActions,
  PendingList,
  PlanSteps,
  Queue,
  UndoRun,
  WaysMenu,
};
