// An empty conversation: what Brain is, and what to try first.
import type { Setup } from "../src/protocol/events.ts";
import { useTools } from "./context.ts";
import { focusComposer } from "./focus.ts";
import { Button, Icon } from "./icon.tsx";
import { t } from "./l10n.ts";

interface Props {
  readonly setup: Setup | null;
}

export function EmptyState({ setup }: Props) {
  const { store } = useTools();
  if (!setup) return null;
  const [before, after] = t(
    "Brain is a coding agent for {0}. It reads, edits and runs; you approve, change or refuse each step before it happens.",
  ).split("{0}");
  return (
    <div class="empty">
      <h2>{setup.workspace === "none" ? t("Open a folder to begin") : t("What should Brain do?")}</h2>
      <p>
        {before}
        {setup.workspaceName === "" ? t("your folder") : <b>{setup.workspaceName}</b>}
        {after}
      </p>
      {setup.workspace === "none" ? (
        <div class="empty-actions">
          <Button
            kind="primary"
            title={t("Choose the folder that Brain works in")}
            onClick={() => store.post({ type: "command:run", command: "openFolder" })}
          >
            <Icon name="folder-opened" /> {t("Open Folder")}
          </Button>
        </div>
      ) : (
        <Suggestions scripted={setup.scripted} readOnly={setup.workspace === "untrusted"} />
      )}
      {setup.workspace !== "none" && (setup.scripted || setup.model === "") && (
        <p class="quiet">
          {setup.scripted
            ? t("The model is a scripted demo: no key, no network, real files.")
            : t("No model is chosen yet.")}{" "}
          <Button
            kind="link"
            title={t("Choose an endpoint and a model: GitHub Copilot, OpenAI, Anthropic, a server of your own")}
            onClick={() => store.post({ type: "command:run", command: "setUpModel" })}
          >
            {t("Set up a model")}
          </Button>
        </p>
      )}
    </div>
  );
}

interface Suggestion {
  readonly icon: string;
  readonly text: string;
  /** What it asks, when that is more than its text; ends in a blank when the person is to finish it. */
  readonly prompt?: string;
  /** Needs no edits and no commands. */
  readonly reads?: boolean;
}

const forDemo: readonly Suggestion[] = [
  { icon: "beaker", text: t("Fix the failing test"), prompt: "Fix the failing test" },
  { icon: "git-merge", text: t("Combine two files"), prompt: "Combine two files" },
  { icon: "compass", text: t("Show me around"), prompt: "Show me around", reads: true },
  {
    icon: "bookmark",
    text: t("Remember that we use node --test"),
    prompt: "Remember that we use node --test",
  },
];
const forModels: readonly Suggestion[] = [
  { icon: "compass", text: t("Explain this project"), reads: true },
  { icon: "bug", text: t("Find and fix a bug") },
  { icon: "beaker", text: t("Write a test for …"), prompt: t("Write a test for ") },
];

interface SuggestionsProps {
  readonly scripted: boolean;
  readonly readOnly: boolean;
}

function Suggestions({ scripted, readOnly }: SuggestionsProps) {
  const { store } = useTools();
  const suggestions = scripted ? forDemo : forModels;
  const take = ({ text, prompt }: Suggestion): void => {
    if (!prompt?.endsWith(" ")) return store.submit(prompt ?? text);
    store.setUi({ draft: prompt });
    return focusComposer();
  };
  return (
    <div class="suggestions" role="group" aria-label={t("Things to try")}>
      {suggestions
        .filter(({ reads }) => reads || !readOnly)
        .map((suggestion) => (
          <button
            key={suggestion.text}
            type="button"
            class="suggestion"
            title={
              suggestion.prompt?.endsWith(" ") ? t("Write this into the message below") : t("Ask: {0}", suggestion.text)
            }
            onClick={() => take(suggestion)}
          >
            <Icon name={suggestion.icon} />
            <span>{suggestion.text}</span>
            <Icon name="arrow-right" class="suggestion-arrow" />
          </button>
        ))}
    </div>
  );
}
