// The whole panel, top to bottom: the conversation, what waits for a decision, the composer.
import { useEffect } from "preact/hooks";
import { Composer } from "./composer.tsx";
import { ToolsProvider } from "./context.ts";
import type { Tools } from "./context.ts";
import { useLazy } from "./lazy.ts";
import type { State } from "./store.ts";
import { Transcript } from "./transcript.tsx";
import { waitingIn } from "./waits.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly tools: Tools;
  readonly state: State;
}

export function App({ tools, state }: Props) {
  const { view, ready } = state;
  const waiting = waitingIn(view);
  const later = useLazy(tools.later);
  useEffect(() => {
    if (waiting.length > 0 && !later) void tools.later.fetch().catch(() => undefined);
  }, [waiting.length, later, tools]);
  return (
    <ToolsProvider value={tools}>
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
      {later && <later.Announcer view={view} />}
    </ToolsProvider>
  );
}
