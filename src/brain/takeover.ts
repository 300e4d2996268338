// Asking whoever writes a session to give it back: a small file beside the lock, which its owner looks for.
import { rm } from "node:fs/promises";
import * as z from "zod";
import type { Clock } from "../engine/ports.ts";
import { readIfThere, writeAtomic } from "./files.ts";

/** The lease that is asked for: a request that was not answered in time does not end a later run. */
const Request = z.object({ token: z.string() });

/** Milliseconds between two looks of the owner. */
const lookEvery = 1_000;

export interface Wish {
  /** Aborted when somebody asks for the session. */
  readonly wanted: AbortSignal;
  /** Looks no more, and takes an answered request away. Never throws. */
  end(): Promise<void>;
}

/** Asks the owner of a lease to give it back. Throws LoopError `disk_write`. */
export async function askForLease(path: string, token: string): Promise<void> {
  await writeAtomic(path, JSON.stringify({ token }));
}

/** Looks out for requests for a lease, for as long as it is held. */
export function hearRequests(path: string, token: string, clock: Clock): Wish {
  const asked = new AbortController();
  let cancel = clock.after(lookEvery, look);
  let over = false;
  function look(): void {
    // What cannot be read is looked at again: nobody else can take the session meanwhile.
    void isAsked(path, token)
      .catch(() => false)
      .then((isIt) => {
        if (over) return;
        if (isIt) asked.abort();
        else cancel = clock.after(lookEvery, look);
      });
  }
  return {
    wanted: asked.signal,
    async end() {
      over = true;
      cancel();
      if (asked.signal.aborted) await rm(path, { force: true }).catch(() => undefined);
    },
  };
}

async function isAsked(path: string, token: string): Promise<boolean> {
  const text = await readIfThere(path);
  return text !== null && Request.safeParse(JSON.parse(text)).data?.token === token;
}
