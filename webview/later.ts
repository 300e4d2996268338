// What is drawn only once there is something to show it for: fetched beside the first paint, so that it is not waited for.
import { Alone, NoticeRow } from "./alone.tsx";
import { Announcer } from "./announce.tsx";
import { Banner } from "./banner.tsx";
import { Arriving } from "./arriving.tsx";
import { Background } from "./background.tsx";
import { CallDetails } from "./callDetails.tsx";
import { ContextRow } from "./contextRow.tsx";
import { carriesFiles, drop, paste } from "./given.ts";
import { GivenParts } from "./givenParts.tsx";
import { Earlier, Jump } from "./farther.tsx";
import { FailureView } from "./failure.tsx";
import { recall } from "./history.ts";
import { InputBox } from "./inputBox.tsx";
import { MessageActions } from "./messageActions.tsx";
import { Cost, Meter } from "./meter.tsx";
import { PauseLine } from "./pauseView.tsx";
import { PendingList } from "./pending.tsx";
import { moveByKey, reachByKey } from "./moving.ts";
import { Pickers } from "./pickers.tsx";
import { PlanLine } from "./planView.tsx";
import { PlanWays } from "./planWays.tsx";
import { Now, Thinking } from "./progress.tsx";
import { Queue } from "./queue.tsx";
import { RetryLine } from "./retryLine.tsx";
import { ReadingBanner } from "./readingBanner.tsx";
import { Seeker } from "./seeker.tsx";
import { Selected } from "./selected.tsx";
import { SendWhileRunning } from "./sendWhileRunning.tsx";
import { Suggestions } from "./suggestions.tsx";
import { Todos } from "./todos.tsx";
import { TraceDock } from "./traceDock.tsx";
import { TurnEnd } from "./turnEnd.tsx";
import { UndoRun } from "./undo.tsx";

export interface Later {
  readonly Alone: typeof Alone;
  readonly NoticeRow: typeof NoticeRow;
  readonly Announcer: typeof Announcer;
  readonly Banner: typeof Banner;
  readonly Arriving: typeof Arriving;
  readonly Background: typeof Background;
  readonly CallDetails: typeof CallDetails;
  readonly Cost: typeof Cost;
  readonly ContextRow: typeof ContextRow;
  readonly FailureView: typeof FailureView;
  readonly drop: typeof drop;
  readonly GivenParts: typeof GivenParts;
  readonly InputBox: typeof InputBox;
  readonly MessageActions: typeof MessageActions;
  readonly Meter: typeof Meter;
  readonly PauseLine: typeof PauseLine;
  readonly PendingList: typeof PendingList;
  readonly Pickers: typeof Pickers;
  readonly PlanLine: typeof PlanLine;
  readonly PlanWays: typeof PlanWays;
  readonly Queue: typeof Queue;
  readonly RetryLine: typeof RetryLine;
  readonly ReadingBanner: typeof ReadingBanner;
  readonly Seeker: typeof Seeker;
  readonly Selected: typeof Selected;
  readonly SendWhileRunning: typeof SendWhileRunning;
  readonly Suggestions: typeof Suggestions;
  readonly Todos: typeof Todos;
  readonly TraceDock: typeof TraceDock;
  readonly TurnEnd: typeof TurnEnd;
  readonly UndoRun: typeof UndoRun;
  readonly Earlier: typeof Earlier;
  readonly Jump: typeof Jump;
  readonly Now: typeof Now;
  readonly Thinking: typeof Thinking;
  readonly moveByKey: typeof moveByKey;
  readonly reachByKey: typeof reachByKey;
  readonly carriesFiles: typeof carriesFiles;
  readonly paste: typeof paste;
  readonly recall: typeof recall;
}

export const later: Later = {
  Alone,
  NoticeRow,
  Announcer,
  Arriving,
  Background,
  Banner,
  CallDetails,
  ContextRow,
  Cost,
  FailureView,
  drop,
  GivenParts,
  InputBox,
  MessageActions,
  Meter,
  PauseLine,
  PendingList,
  Pickers,
  PlanLine,
  PlanWays,
  Queue,
  RetryLine,
  ReadingBanner,
  Seeker,
  Selected,
  SendWhileRunning,
  Suggestions,
  Todos,
  TraceDock,
  TurnEnd,
  UndoRun,
  Earlier,
  Jump,
  Now,
  Thinking,
  moveByKey,
  reachByKey,
  carriesFiles,
  paste,
  recall,
};
