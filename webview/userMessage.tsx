// What a person wrote: the message that began a run, or one that was sent into it while it worked.
import type { AttachedInfo } from "../src/protocol/attachments.ts";
import { useFold } from "./context.ts";
import { Icon, More } from "./icon.tsx";
import { MessageActions } from "./messageActions.tsx";
import { clock, count } from "./words.ts";
import { t } from "./l10n.ts";

interface Props {
  readonly id: string;
  readonly messageId: string;
  readonly text: string;
  /** When it was sent, as an ISO time; null for one that was sent into a run. */
  readonly at: string | null;
  /** What came with it. */
  readonly attached: readonly AttachedInfo[] | undefined;
}

/** Lines of a message shown until a person asks for the rest. */
const firstLines = 12;

export function UserMessage({ id, messageId, text, at, attached = [] }: Props) {
  const lines = text.split("\n");
  const [whole, show] = useFold(`user-${id}`, false);
  const short = !whole && lines.length > firstLines + 3;
  return (
    <div
      class={at === null ? "user into" : "user"}
      data-row=""
      data-item={messageId}
      tabIndex={-1}
      role="group"
      aria-label={at === null ? t("You, while it worked") : t("You")}
    >
      <div class="user-head">
        <h2 class="who">{t("You")}</h2>
        <MessageActions messageId={messageId} />
        {at === null ? <span>{t("sent while it worked")}</span> : <time dateTime={at}>{clock(at, new Date())}</time>}
      </div>
      <div class="user-text">{short ? lines.slice(0, firstLines).join("\n") : text}</div>
      {short && (
        <More title={t("Show the whole message")} onClick={show}>
          {count("Show all {0} line", "Show all {0} lines", lines.length)}
        </More>
      )}
      {attached.map(({ label, thumbnail }) => thumbnail && <img key={label} src={thumbnail} alt={label} />)}
      {attached.length > 0 && (
        <div class="attached">
          <Icon name="attach" /> {t("Attached: {0}", attached.map(({ label }) => label).join(", "))}
        </div>
      )}
    </div>
  );
}
