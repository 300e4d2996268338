// Where the panel is: in the side bar, in an editor tab, or in both.
import * as vscode from "vscode";
import type { Panel } from "./panelView.ts";
import { openPanel } from "./panelView.ts";
import type { Panels } from "./panels.ts";

export interface PanelPlaces {
  /** Brings the panel that is in front to a person, with the focus; without any that in the side bar is opened. */
  readonly focus: () => Promise<void>;
  /** Shows the panel in an editor tab; there is one of those at the most. */
  readonly openInEditor: () => Promise<void>;
}

/** @param show connects a panel that has been opened */
export function createPanelPlaces(
  panels: Panels<Panel>,
  extension: vscode.Uri,
  show: (panel: Panel) => void,
): PanelPlaces {
  /** A tab whose panel has not drawn itself yet. */
  let opening: vscode.WebviewPanel | null = null;
  return {
    async focus() {
      const place = panels.front()?.place;
      if (place && isTab(place)) place.reveal();
      else await vscode.commands.executeCommand("brain.chat.focus");
    },
    async openInEditor() {
      const tab = opening ?? panels.all().find(({ place }) => isTab(place))?.place;
      if (tab && isTab(tab)) return tab.reveal();
      const made = vscode.window.createWebviewPanel("brain.editor", "Brain", vscode.ViewColumn.Active);
      made.iconPath = vscode.Uri.joinPath(extension, "media", "icon.png");
      opening = made;
      const opened = (): void => {
        if (opening === made) opening = null;
      };
      made.onDidDispose(opened);
      const panel = openPanel(made, extension);
      await panel.drawn;
      show(panel);
      opened();
    },
  };
}

function isTab(place: Panel["place"]): place is vscode.WebviewPanel {
  return "reveal" in place;
}
