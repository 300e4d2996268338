// What stands in the conversation beside what was said: notices, and what there is before anything was.
import type { View } from "../src/protocol/view.ts";
import type { NoticeItem } from "../src/protocol/viewTurn.ts";
import { EmptyState } from "./empty.tsx";
import { FailureView } from "./failure.tsx";
import { Line } from "./line.tsx";
import { t, told } from "./l10n.ts";

interface AloneProps {
  readonly view: View;
  /** The host has told what there is. */
  readonly ready: boolean;
}

/** The empty conversation, and what went wrong outside of any turn. */
export function Alone({ view: { turns, failure, setup }, ready }: AloneProps) {
  return (
    <>
      {ready && turns.length === 0 && <EmptyState setup={setup} />}
      {failure && <FailureView failure={failure} latest onRetry={null} />}
    </>
  );
}

export function NoticeRow({ item: { level, message } }: { readonly item: NoticeItem }) {
  return (
    <Line kind={level} icon={level} label={t("Notice")}>
      <span>{told(message)}</span>
    </Line>
  );
}
