// The words of the language that the editor is set to: what the panel's page brings along, and sentences that come as data.
import { readFileSync } from "node:fs";
import path from "node:path";
import * as vscode from "vscode";
import type { Label } from "../protocol/calls.ts";
import { inTold, toldOf, type PageWords } from "../protocol/viewTold.ts";

/** Null where the editor is English, or in a language that Brain does not know. */
export function pageWords(): PageWords | null {
  const bundle = vscode.l10n.uri?.fsPath ?? "";
  const language = /bundle\.l10n\.(.+)\.json$/.exec(bundle)?.[1];
  if (language === undefined) return null;
  const table = (name: string): Readonly<Record<string, string>> =>
    JSON.parse(readFileSync(path.join(path.dirname(bundle), `${name}.${language}.json`), "utf8"));
  return { language, panel: table("panel"), told: toldOf(table("told")) };
}

/** A sentence of the loop or of a tool for a person to read: such sentences are English in data. */
export function told(sentence: string): string {
  const words = pageWords();
  return words ? inTold(words.told, sentence) : sentence;
}

/** "Edit src/price.js"; some languages put the verb behind. */
export function inWords({ verb, subject }: Label): string {
  return subject === "" ? told(verb) : vscode.l10n.t("{0} {1}", told(verb), subject);
}
