// What is drawn only once there is something to show it for: fetched beside the first paint, so that it is not waited for.
import { Announcer } from "./announce.tsx";
import { Background } from "./background.tsx";
import { CallDetails } from "./callDetails.tsx";
import { ContextRow } from "./contextRow.tsx";
import { FailureView } from "./failure.tsx";
import { InputBox } from "./inputBox.tsx";
import { MessageActions } from "./messageActions.tsx";
import { PauseLine } from "./pauseView.tsx";
import { PendingList } from "./pending.tsx";
import { PlanLine } from "./planView.tsx";
import { PlanSteps } from "./planSteps.tsx";
import { Queue } from "./queue.tsx";
import { ReadingBanner } from "./readingBanner.tsx";
import { UndoRun } from "./undo.tsx";
import { WaysMenu } from "./waysMenu.tsx";

export interface Later {
  readonly Announcer: typeof Announcer;
  readonly Background: typeof Background;
  readonly CallDetails: typeof CallDetails;
  readonly ContextRow: typeof ContextRow;
  readonly FailureView: typeof FailureView;
  readonly InputBox: typeof InputBox;
  readonly MessageActions: typeof MessageActions;
  readonly PauseLine: typeof PauseLine;
  readonly PendingList: typeof PendingList;
  readonly PlanLine: typeof PlanLine;
  readonly PlanSteps: typeof PlanSteps;
  readonly Queue: typeof Queue;
  readonly ReadingBanner: typeof ReadingBanner;
  readonly UndoRun: typeof UndoRun;
  readonly WaysMenu: typeof WaysMenu;
}

export const later: Later = {
  Announcer,
  Background,
  CallDetails,
  ContextRow,
  FailureView,
  InputBox,
  MessageActions,
  PauseLine,
  PendingList,
  PlanLine,
  PlanSteps,
  Queue,
  ReadingBanner,
  UndoRun,
  WaysMenu,
};
