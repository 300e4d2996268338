// Files that are dragged onto the composer.
import type { Store } from "./store.ts";

/** How VS Code and others name what is dragged. */
const uriLists = ["application/vnd.code.uri-list", "text/uri-list"];

/** Says that what is dragged may be dropped here, when it is files. */
export function allowDrop(event: DragEvent): void {
  if (uriLists.some((type) => event.dataTransfer?.types.includes(type))) event.preventDefault();
}

export function drop(event: DragEvent, store: Store): void {
  const lists = uriLists.map((type) => event.dataTransfer?.getData(type) ?? "");
  const list = lists.find((text) => text !== "");
  if (list === undefined) return;
  event.preventDefault();
  store.post({ type: "files:drop", uris: list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#")) });
}
