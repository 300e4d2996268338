// The whole panel, top to bottom: the conversation, what waits for a decision, the composer.
import { Composer } from "./composer.tsx";
import { ToolsProvider, useTools } from "./context.ts";
import type { Tools } from "./context.ts";
import { useFetched, useLazy } from "./lazy.ts";
import type { State } from "./store.ts";
import { Transcript } from "./transcript.tsx";
import { waitingIn } from "./waits.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly tools: Tools;
  readonly state: State;
}

export function App({ tools, state }: Props) {
  const later = useLazy(tools.later);
  const listed = state.ui.sessions;
  const page = useFetched(tools.sessions, listed !== null);
  return (
    <ToolsProvider value={tools}>
      {later && <later.Seeker state={state} />}
      <Conversation state={state} beneath={listed !== null && page !== null} />
      {listed && page && <page.SessionsPage asked={listed} />}
      {later && <later.Announcer view={state.view} />}
    </ToolsProvider>
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
  const later = useFetched(useTools().later, waiting.length > 0);
  return (
    <div class="conversation" inert={beneath}>
      <Transcript view={view} ready={ready} wish={state.wish} />
      {later && <later.TraceDock state={state} />}
      {waiting.length > 0 && later && <later.PendingList waiting={waiting} state={state} />}
      <div class="bottom" role="region" aria-label={t("Your message")}>
        {later && view.setup && <later.Banner setup={view.setup} />}
        {later && view.reading && <later.ReadingBanner reading={view.reading} />}
        {later && <later.Todos view={view} />}
        {later && <later.Background commands={view.commands} />}
        {later && <later.Queue state={state} />}
        <Composer state={state} />
      </div>
    </div>
  );
}
