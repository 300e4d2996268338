// The whole panel, top to bottom: the conversation, what waits for a decision, the composer.
import { pendingCalls } from "../src/protocol/view.ts";
import { Announcer } from "./announce.tsx";
import { Banner } from "./banner.tsx";
import { Composer } from "./composer.tsx";
import { ToolsProvider } from "./context.ts";
import type { Tools } from "./context.ts";
import { PendingList } from "./pending.tsx";
import type { State } from "./store.ts";
import { Transcript } from "./transcript.tsx";

interface Props {
  readonly tools: Tools;
  readonly state: State;
}

export function App({ tools, state }: Props) {
  const { view, ready } = state;
  const calls = pendingCalls(view);
  return (
    <ToolsProvider value={tools}>
      <Transcript view={view} ready={ready} />
      {calls.length > 0 && <PendingList calls={calls} state={state} />}
      <div class="bottom">
        {view.setup && <Banner setup={view.setup} />}
        <Composer state={state} />
      </div>
      <Announcer view={view} />
    </ToolsProvider>
  );
}
