// vscode.l10n.t("Brain Changes"): a source control of what calls have changed, with the editor's own marks against the state before them.
import * as vscode from "vscode";
import type { View } from "../protocol/view.ts";
import { textNow, type ChangedEntry, type ChangedList } from "./changedList.ts";
import { originalOf } from "./changedText.ts";

/** Scheme of a file as it was before; the same path. */
export const beforeScheme = "brain-before";
/** Paths that conditions of keys and menus are told. */
const mostPaths = 2_000;

export interface ChangesControl extends vscode.Disposable {
  /** The groups as they are shown, the newest first; none of them is empty. */
  readonly groups: () => readonly ChangedGroup[];
  /** Shows a file beside what it was. */
  open(entry: ChangedEntry): Promise<void>;
}

export interface ChangedGroup {
  readonly id: string;
  readonly label: string;
  readonly entries: readonly ChangedEntry[];
}

export function beforeOf(uri: vscode.Uri): vscode.Uri {
  return uri.with({ scheme: beforeScheme });
}

const nothing = vscode.Uri.from({ scheme: beforeScheme, path: "/nothing", query: "nothing" });

/** @param remember told whether there is anything, for the next window */
export function createChangesControl(
  list: ChangedList,
  view: () => View,
  remember: (any: boolean) => void,
): ChangesControl {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const served = vscode.workspace.registerTextDocumentContentProvider(beforeScheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => originalText(list, uri),
  });
  let control: Control | null = null;
  const groups = (): readonly ChangedGroup[] => groupsOf(list.all(), view());
  const draw = (): void => {
    const all = list.all();
    remember(all.length > 0);
    const paths = all.slice(0, mostPaths).map(({ uri }) => uri.fsPath);
    void vscode.commands.executeCommand("setContext", "brain.changedFiles", paths);
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === beforeScheme) changed.fire(uri);
    if (all.length > 0) (control ??= createControl(list)).show(groups());
    else {
      control?.dispose();
      control = null;
    }
  };
  list.onChange(draw);
  return {
    groups,
    open: (entry) => openChange(entry),
    dispose() {
      control?.dispose();
      vscode.Disposable.from(changed, served).dispose();
    },
  };
}

interface Control extends vscode.Disposable {
  readonly show: (groups: readonly ChangedGroup[]) => void;
}

/** Made with the first change and gone with the last: a person without any sees nothing of it. */
function createControl(list: ChangedList): Control {
  const control = vscode.scm.createSourceControl("brain", vscode.l10n.t("Brain Changes"));
  control.inputBox.visible = false;
  const marks: vscode.QuickDiffProvider = {
    provideOriginalResource: async (uri) => {
      const entry = list.of(uri);
      return entry && (await list.text(entry)) ? beforeOf(uri) : undefined;
    },
  };
  const shown = new Map<string, vscode.SourceControlResourceGroup>();
  let last = "";
  return {
    show(groups) {
      for (const { id, label, entries } of groups) {
        const group = shown.get(id) ?? control.createResourceGroup(id, label);
        group.hideWhenEmpty = true;
        group.label = label;
        group.resourceStates = entries.map(resource);
        shown.set(id, group);
      }
      for (const [id, group] of shown) if (!groups.some((one) => one.id === id)) group.resourceStates = [];
      const all = groups.flatMap(({ entries }) => entries.map(({ uri }) => uri.toString()));
      control.count = all.length;
      const now = all.toSorted().join("\n");
      if (now === last) return;
      last = now;
      // An editor asks for the original once: put in anew, the provider is asked again.
      Object.assign(control, { quickDiffProvider: undefined });
      control.quickDiffProvider = marks;
    },
    dispose: () => control.dispose(),
  };
}

function groupsOf(all: readonly ChangedEntry[], { turns }: View): readonly ChangedGroup[] {
  const newest = turns.at(-1)?.runId;
  const [now, earlier] = [true, false].map((wanted) => all.filter(({ file }) => (file.runId === newest) === wanted));
  return [
    { id: "run", label: vscode.l10n.t("This run"), entries: now ?? [] },
    { id: "earlier", label: vscode.l10n.t("Earlier in this session"), entries: earlier ?? [] },
  ].filter(({ entries }) => entries.length > 0);
}

const kinds = {
  added: { icon: "diff-added", did: vscode.l10n.t("Added by Brain") },
  changed: { icon: "diff-modified", did: vscode.l10n.t("Changed by Brain") },
  deleted: { icon: "diff-removed", did: vscode.l10n.t("Deleted by Brain") },
} as const;

function resource({ file, uri }: ChangedEntry): vscode.SourceControlResourceState {
  const kind = file.before === null ? "added" : file.now === null ? "deleted" : "changed";
  const { icon, did } = kinds[kind];
  const tooltip = file.interrupted ? vscode.l10n.t("{0}, or by others: the command was interrupted", did) : did;
  return {
    resourceUri: uri,
    contextValue: kind,
    command: { command: "brain.openChange", title: vscode.l10n.t("Open Change"), arguments: [uri] },
    decorations: { tooltip, strikeThrough: kind === "deleted", iconPath: new vscode.ThemeIcon(icon) },
  };
}

async function originalText(list: ChangedList, uri: vscode.Uri): Promise<string> {
  if (uri.query === nothing.query) return "";
  const file = uri.with({ scheme: "file" });
  const entry = list.of(file);
  if (entry?.file.now === null) return list.before(entry);
  const text = entry && (await list.text(entry));
  // Of what is decided there is nothing to mark.
  if (!text) return (await textNow(file)) ?? "";
  return originalOf(text);
}

async function openChange({ file, uri }: ChangedEntry): Promise<void> {
  const name = file.path.split("/").at(-1) ?? file.path;
  const left = file.before === null ? nothing : beforeOf(uri);
  const right = file.now === null ? nothing : uri;
  await vscode.commands.executeCommand("vscode.diff", left, right, vscode.l10n.t("{0} (changed by Brain)", name));
}
