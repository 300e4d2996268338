// The encodings of files as VS Code's settings have them, for files that no editor shows.
import * as vscode from "vscode";
import type { SetEncodings } from "../tools/encodings.ts";

/** What `files.encoding` says, asked anew for each file. */
export function setEncodings(): SetEncodings {
  return {
    nameFor(real) {
      const name = vscode.workspace.getConfiguration("files", vscode.Uri.file(real)).get<string>("encoding", "utf8");
      return name === "utf8" ? null : name;
    },
    decode: async (encoding, bytes) => vscode.workspace.decode(bytes, { encoding }),
    encode: async (encoding, text) => vscode.workspace.encode(text, { encoding }),
  };
}
