// The whole panel, top to bottom: the conversation, what waits for a decision, the composer.
import { Announcer } from "./announce.tsx";
import { Background } from "./background.tsx";
import { Banner } from "./banner.tsx";
import { Composer } from "./composer.tsx";
import { ToolsProvider, useMore } from "./context.ts";
import type { Tools } from "./context.ts";
import { NotLoaded } from "./notLoaded.tsx";
import { PendingList } from "./pending.tsx";
import { Queue } from "./queue.tsx";
import { ReadingBanner } from "./readingBanner.tsx";
import { Seeker } from "./seeker.tsx";
import type { State } from "./store.ts";
import { Todos } from "./todos.tsx";
import { TraceDock } from "./traceDock.tsx";
import { Transcript } from "./transcript.tsx";
import { waitingIn } from "./waits.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly tools: Tools;
  readonly state: State;
}

export function App({ tools, state }: Props) {
  return (
    <ToolsProvider value={tools}>
      <Seeker state={state} />
      <Pages state={state} />
      <Announcer view={state.view} />
    </ToolsProvider>
  );
}

function Pages({ state }: Pick<Props, "state">) {
  const listed = state.ui.sessions;
  const page = useMore(listed !== null);
  return (
    <>
      <Conversation state={state} beneath={listed !== null && page !== null} />
      {listed && page && <page.SessionsPage asked={listed} failure={state.view.failure} />}
    </>
  );
}

interface ConversationProps {
  readonly state: State;
  /** Another page is over it: it stays as it is, scrolled, written in, and streaming. */
  readonly beneath: boolean;
}

function Conversation({ state, beneath }: ConversationProps) {
  const { view, ready } = state;
  const waiting = waitingIn(view);
  return (
    <div class="conversation" inert={beneath}>
      <Transcript view={view} ready={ready} wish={state.wish} />
      <TraceDock state={state} />
      {waiting.length > 0 && <PendingList waiting={waiting} state={state} />}
      <div class="bottom" role="region" aria-label={t("Your message")}>
        <NotLoaded />
        {view.setup && <Banner setup={view.setup} />}
        {view.reading && <ReadingBanner reading={view.reading} />}
        <Todos view={view} />
        <Background commands={view.commands} />
        <Queue state={state} />
        <Composer state={state} />
      </div>
    </div>
  );
}
