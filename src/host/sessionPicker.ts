// The list of sessions as a quick pick: it searches titles and text while a person types, and each row has its actions.
import * as vscode from "vscode";
import type { SessionStore } from "../brain/sessions.ts";
import { createFinder, type SessionRow } from "./sessionFinder.ts";
import { told } from "./words.ts";

export type SessionAct = "open" | "rename" | "export" | "fork" | "delete";

export interface PickedSession {
  readonly act: SessionAct;
  readonly id: string;
  /** What had been typed. */
  readonly search: string;
}

export interface PickOptions {
  readonly title: string;
  readonly sessions: Pick<SessionStore, "list" | "search">;
  /** The session that the panel shows. */
  readonly openId: string | null;
  /** What is typed already. */
  readonly search: string;
  readonly failed: (error: unknown) => void;
}

interface Item extends vscode.QuickPickItem {
  readonly id: string;
}

const buttons: readonly (vscode.QuickInputButton & { readonly act: SessionAct })[] = [
  { act: "rename", iconPath: new vscode.ThemeIcon("edit"), tooltip: vscode.l10n.t("Rename") },
  { act: "export", iconPath: new vscode.ThemeIcon("export"), tooltip: vscode.l10n.t("Export") },
  { act: "fork", iconPath: new vscode.ThemeIcon("repo-forked"), tooltip: vscode.l10n.t("Fork") },
  { act: "delete", iconPath: new vscode.ThemeIcon("trash"), tooltip: vscode.l10n.t("Delete") },
];

/** Milliseconds without a key before a search begins. */
const typingPause = 150;

/** What a person wants with which session; undefined when they left. */
export async function pickSession(options: PickOptions): Promise<PickedSession | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = options.title;
  picker.placeholder = vscode.l10n.t("Search titles and text");
  picker.value = options.search;
  picker.keepScrollPosition = true;
  picker.busy = true;
  const finder = createFinder({
    ...options,
    show: (rows, done) => {
      const active = picker.activeItems[0]?.id;
      picker.items = rows.length === 0 && done ? [nothing(picker.value)] : rows.map(itemOf);
      const still = picker.items.filter(({ id }) => id === active);
      // An empty list would take the mark from the first row, and Enter would open nothing.
      if (still.length > 0) picker.activeItems = still;
      picker.busy = !done;
    },
    pause: () => new Promise((resolve) => void setTimeout(resolve, typingPause)),
  });
  try {
    return await new Promise<PickedSession | undefined>((resolve) => {
      const choose = (act: SessionAct, { id }: Item): void => {
        if (id !== "") resolve({ act, id, search: picker.value });
      };
      picker.onDidChangeValue((text) => {
        picker.busy = true;
        finder.find(text);
      });
      picker.onDidAccept(() => picker.selectedItems.map((item) => choose("open", item)));
      picker.onDidTriggerItemButton(({ item, button }) => {
        const pressed = buttons.find((one) => one === button || one.tooltip === button.tooltip);
        if (pressed) choose(pressed.act, item);
      });
      picker.onDidHide(() => resolve(undefined));
      picker.show();
      finder.find(options.search);
    });
  } finally {
    finder.stop();
    picker.dispose();
  }
}

/** Always shown: what was found in the text need not be in the words of the row. */
function itemOf({ id, title, description, detail }: SessionRow): Item {
  return {
    id,
    label: plain(told(title)),
    description: told(description),
    detail: plain(inLanguage(detail)),
    alwaysShow: true,
    buttons,
  };
}

/** Who says it, or how many messages there are; what was said stays as it is. */
function inLanguage(detail: string): string {
  const many = /^(\d+) messages$/.exec(detail)?.[1];
  if (many !== undefined) return vscode.l10n.t("{0} messages", many);
  const [, who, said] = /^(Title|You|Result): (.*)$/s.exec(detail) ?? [];
  return who === undefined ? told(detail) : `${told(who)}: ${said ?? ""}`;
}

function nothing(search: string): Item {
  const label =
    search.trim() === ""
      ? vscode.l10n.t("There is no session in this folder yet.")
      : vscode.l10n.t("Nothing was found.");
  return { id: "", label, alwaysShow: true };
}

/** In a quick pick `$(name)` would become a picture. */
export function plain(text: string): string {
  return text.replaceAll("$(", "\\$(");
}
