// Another call in the place of one that waits, while it is being chosen: its draft is kept with the other drafts.
import type { ToolInfo } from "../src/protocol/events.ts";
import type { Decision } from "../src/protocol/messages.ts";
import type { CallItem } from "../src/protocol/viewCall.ts";
import { useTools } from "./context.ts";
import type { Part } from "./pendingActions.ts";
import { ReplacePart } from "./replace.tsx";
import type { Replacement } from "./ui.ts";

interface Props {
  readonly call: CallItem;
  /** What may be put in its place. */
  readonly tools: readonly ToolInfo[];
  readonly replacement: Replacement;
  readonly sending: boolean;
  /** The part that a person opened just now. */
  readonly takesFocus: Part | null;
  readonly close: (call: CallItem) => void;
  readonly decide: (call: CallItem, decision: Decision) => void;
}

export function ReplacementPart({ call, tools, replacement, sending, takesFocus, close, decide }: Props) {
  const { store } = useTools();
  const { ask, id } = call;
  if (!ask) return null;
  return (
    <ReplacePart
      call={call}
      ask={ask}
      tools={tools}
      replacement={replacement}
      sending={sending}
      takesFocus={takesFocus === "replace"}
      onChange={(next) => store.setUi({ replacements: { ...store.state().ui.replacements, [id]: next } })}
      onDecide={(decision) => decide(call, decision)}
      onCancel={() => close(call)}
    />
  );
}
