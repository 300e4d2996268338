// A log of output in which no secret is written down.
import { maskedStream } from "../scope/secrets.ts";
import type { OutputLog } from "./outputLog.ts";

/** Bytes go through one by one, whatever they mean: secrets are made of plain characters. */
const bytewise = "latin1";

/** The same log, masked; a line that may hold a secret is in it when it has ended. */
export function maskedLog(log: OutputLog): OutputLog {
  let behind: Promise<void> | null = null;
  const stream = maskedStream((text) => {
    behind = log.add(Buffer.from(text, bytewise));
  });
  return {
    ...log,
    add(chunk) {
      behind = null;
      stream.add(chunk.toString(bytewise));
      return behind;
    },
    close() {
      stream.end();
      return log.close();
    },
  };
}
