// What is drawn only once a person is asked or unfolds something: fetched beside the first paint, so that it is not waited for.
import { PendingList } from "./pending.tsx";
import { PlanSteps } from "./planSteps.tsx";
import { Queue } from "./queue.tsx";
import { WaysMenu } from "./waysMenu.tsx";

export interface Later {
  readonly PendingList: typeof PendingList;
  readonly PlanSteps: typeof PlanSteps;
  readonly Queue: typeof Queue;
  readonly WaysMenu: typeof WaysMenu;
}

export const later: Later = { PendingList, PlanSteps, Queue, WaysMenu };
