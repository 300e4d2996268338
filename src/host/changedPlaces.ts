// Which place of a changed text is meant: the one at a line, or the one that the editor's own difference names.
import * as vscode from "vscode";
import type { ChangedEntry } from "./changedList.ts";
import { beforeOf } from "./changesControl.ts";
import { originalOf, placesOf, type ChangedPlace, type ChangedText, type Place } from "./changedText.ts";
import { withLf } from "../tools/lineEndings.ts";

/** The change that the menu of the editor's inline difference hands over: all of them, and the number of this one. */
export function lineChangeIn([changes, index]: readonly unknown[]): Place | null {
  const change: unknown = Array.isArray(changes) && typeof index === "number" ? changes[index] : null;
  if (typeof change !== "object" || change === null) return null;
  const numbers = { originalStartLineNumber: 0, originalEndLineNumber: 0, modifiedStartLineNumber: 0, ...change };
  const { modifiedEndLineNumber } = { modifiedEndLineNumber: 0, ...change };
  return {
    old: range(numbers.originalStartLineNumber, numbers.originalEndLineNumber),
    now: range(numbers.modifiedStartLineNumber, modifiedEndLineNumber),
  };
}

/** Lines are counted from 1; without an end there are none, and the place is behind the line. */
function range(start: number, end: number): Place["old"] {
  return end === 0 ? { from: start, to: start } : { from: start - 1, to: end };
}

/** At a line, else the next below, else the first; undefined: nothing is changed any more. */
export function placeFor({ uri }: ChangedEntry, text: ChangedText, wanted: Place | number): ChangedPlace | undefined {
  const places = placesOf(text);
  if (typeof wanted === "number")
    return (
      places.find(({ now }) => wanted >= now.from && wanted < Math.max(now.to, now.from + 1)) ??
      places.find(({ now }) => now.from >= wanted) ??
      places[0]
    );
  const meant = places.find(({ now }) => now.from <= wanted.now.to && wanted.now.from <= now.to);
  const shown = vscode.workspace.textDocuments.find((one) => one.uri.toString() === beforeOf(uri).toString());
  // The editor divides a difference its own way; its lines count as long as it has compared the same texts.
  const same = shown !== undefined && withLf(shown.getText()).text === originalOf(text);
  return meant && same ? { ...wanted, mixed: meant.mixed } : meant;
}
