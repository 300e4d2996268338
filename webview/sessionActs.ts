// What a person can do to a listed session, by key and in its menu; and which row is being renamed or has its menu open.
import { useState } from "preact/hooks";
import type { SessionAct, SessionRow } from "../src/protocol/sessions.ts";
import { useTools } from "./context.ts";
import type { MenuItem } from "./menu.tsx";
import { t } from "./l10n.ts";

export interface SessionActs {
  /** Ids; "": none. */
  readonly renaming: string;
  readonly menu: string;
  readonly openMenu: (id: string) => void;
  /** Renames to what was written; null: leaves the title as it is. */
  readonly rename: (row: SessionRow, title: string | null) => void;
  readonly pin: (row: SessionRow) => void;
  readonly open: (row: SessionRow, inTrash: boolean) => void;
  /** A key on a row; true when it meant something. */
  readonly press: (event: KeyboardEvent, row: SessionRow, inTrash: boolean) => boolean;
  readonly items: (row: SessionRow, inTrash: boolean) => readonly MenuItem[];
}

/**
 * @param onDeleted told which one is on its way to the trash
 * @param words what is searched for: a session is opened where they were found
 */
export function useSessionActs(onDeleted: (row: SessionRow) => void, words: string): SessionActs {
  const { store } = useTools();
  const [renaming, setRenaming] = useState("");
  const [menu, setMenu] = useState("");
  const act = (row: SessionRow, what: SessionAct): void => {
    setMenu("");
    const sought = what === "open" && row.found ? { sought: { ...row.found.at, words } } : {};
    store.post({ type: "session:do", session: row.id, act: what, ...sought });
    if (what === "open" || what === "fork") store.setUi({ sessions: null });
    if (what === "delete") onDeleted(row);
  };
  const open = (row: SessionRow, inTrash: boolean): void => act(row, inTrash ? "restore" : "open");
  const pin = (row: SessionRow): void => {
    setMenu("");
    store.post({ type: "session:pin", session: row.id, pinned: !row.pinned });
  };
  const beginRename = ({ id }: SessionRow): void => {
    setMenu("");
    setRenaming(id);
  };
  const choose = (choice: Choice, row: SessionRow): void => {
    if (choice === "rename") beginRename(row);
    else if (choice === "pin") pin(row);
    else act(row, choice);
  };
  return {
    renaming,
    menu,
    openMenu: setMenu,
    rename(row, title) {
      setRenaming("");
      const line = title?.trim() ?? "";
      if (line !== "" && line !== row.title)
        store.post({ type: "session:do", session: row.id, act: "rename", title: line });
    },
    pin,
    open,
    press(event, row, inTrash) {
      if (isMenuKey(event)) setMenu(row.id);
      else {
        const choice = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? null : keyOf(event.key);
        if (choice === null || (inTrash && choice !== "open")) return false;
        if (event.repeat) return true;
        if (choice === "open") open(row, inTrash);
        else choose(choice, row);
      }
      return true;
    },
    items: (row, inTrash) =>
      (inTrash ? deletedChoices : choices).map(({ choice, words, key, keys = key }) => ({
        key: choice,
        words: choice === "pin" && row.pinned ? t("Unpin") : words,
        keys,
        onChoose: () => choose(choice, row),
      })),
  };
}

type Choice = SessionAct | "pin";

interface Offered {
  readonly choice: Choice;
  readonly words: string;
  /** As the keyboard names it; "": none. */
  readonly key: string;
  /** What is shown of it, where that is not its name. */
  readonly keys?: string;
}

const choices: readonly Offered[] = [
  { choice: "open", words: t("Open"), key: "Enter", keys: t("Enter") },
  { choice: "rename", words: t("Rename"), key: "F2" },
  { choice: "pin", words: t("Pin"), key: "P" },
  { choice: "fork", words: t("Fork"), key: "F" },
  { choice: "markdown", words: t("Export as Markdown…"), key: "" },
  { choice: "json", words: t("Export as JSON Lines…"), key: "" },
  { choice: "delete", words: t("Delete"), key: "Delete", keys: t("Del") },
];
const deletedChoices: typeof choices = [{ choice: "restore", words: t("Restore"), key: "Enter", keys: t("Enter") }];

function keyOf(key: string): Choice | null {
  // On a keyboard of a Mac the key above Enter is the one that deletes.
  const pressed = key === "Backspace" ? "delete" : key.toLowerCase();
  return choices.find((one) => one.key !== "" && one.key.toLowerCase() === pressed)?.choice ?? null;
}

function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}
