// The ports of this room: the files and the place a tool works on.
import { createHash } from "node:crypto";
import type { ToolResult } from "../engine/ports.ts";
import type { Sandbox } from "../scope/sandbox.ts";
import type { Commands } from "./commands.ts";
import type { Scope, ScopedPath } from "../scope/scope.ts";

export interface FileContent {
  /** Decoded, without byte order mark, line endings as in the file. */
  readonly text: string;
  /** `hashText(text)`. */
  readonly hash: string;
  readonly source: "disk" | "buffer";
  /** The editor holds changes that are not on disk. */
  readonly unsaved: boolean;
  /** How it is written, as VS Code calls it; absent: UTF-8. */
  readonly encoding?: string;
}

export type WriteOutcome =
  | {
      readonly kind: "written";
      readonly hash: string;
      /** False: the text is in the editor and not on disk. */
      readonly saved: boolean;
      /** What the file holds now, where saving it has changed it once more, as formatters do. */
      readonly text?: string;
      /** What the editor finds wrong in it since. */
      readonly problems?: readonly string[];
    }
  /** The file is not what `expectedHash` says; nothing was written. */
  | { readonly kind: "stale" }
  | { readonly kind: "failed"; readonly message: string };

/** How deleting a file went; `stale` as with writing. */
export type RemoveOutcome =
  { readonly kind: "removed" } | { readonly kind: "stale" } | { readonly kind: "failed"; readonly message: string };

/** `taken`: there is a file at the new place, and nothing was moved. */
export type MoveOutcome =
  { readonly kind: "moved" } | { readonly kind: "taken" } | { readonly kind: "failed"; readonly message: string };

export interface Files {
  /**
   * The text as a person sees it now; null when there is no such file.
   * @throws an Error whose message is a sentence for the model when it is not a text file that can be read
   */
  read(path: ScopedPath): Promise<FileContent | null>;
  /**
   * Writes the whole text, line endings as given; keeps the file's encoding and byte order mark.
   * @param expectedHash what the file must hold now; null: it must not exist
   */
  write(path: ScopedPath, text: string, expectedHash: string | null): Promise<WriteOutcome>;
  /** @param expectedHash what the file must hold now */
  remove(path: ScopedPath, expectedHash: string): Promise<RemoveOutcome>;
  /**
   * Deletes a file of any kind, or a folder with all that is in it.
   * @param isAsSeen whether it still is what was shown to the person
   */
  removeWhole(path: ScopedPath, isAsSeen: () => Promise<boolean>): Promise<RemoveOutcome>;
  /** What is there, of any kind; `unsaved`: a file, or one in the folder, with changes that only the editor has. Never throws. */
  find(path: ScopedPath): Promise<"nothing" | "file" | "folder" | "unsaved">;
  /** Moves a file or a folder to a place where there is none. */
  move(from: ScopedPath, to: ScopedPath): Promise<MoveOutcome>;
}

/** What writing a file takes. */
export interface FilesInScope {
  readonly scope: Scope;
  readonly files: Files;
}

export interface Workspace extends FilesInScope {
  readonly sandbox: Sandbox;
  /** Adds a note to MEMORY.md. */
  remember(note: string): Promise<ToolResult>;
  readonly commands: Commands;
  /** Environment of commands, already cleaned. Rejects when a setting for it is wrong. */
  environment(): Promise<Readonly<Record<string, string>>>;
}

/** Tells two texts apart; what the model sees as the hash of a file. */
export function hashText(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
