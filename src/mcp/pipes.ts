// The way to a server that was started here: one JSON message a line, over its input and output.
import { deserializeMessage, serializeMessage, type Transport } from "@modelcontextprotocol/client";
import type { Readable, Writable } from "node:stream";
import { mostBytes } from "./boundedFetch.ts";

/** A program that was started. */
export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly errors: Readable;
  /** How it ended, such as “with code 1”. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it with all that it has started. Idempotent, never rejects. */
  end(): Promise<void>;
}

export interface Pipes extends Transport {
  /** Why there is no connection any more: the end of a sentence; null while there is one. */
  readonly lost: () => string | null;
  /** These two tell the library that silence means an older server. */
  readonly stderr: null;
  readonly pid: null;
}

/** @param heard gets what the program says beside its messages, line by line */
export function overPipes(start: () => Promise<ServerProcess>, heard: (line: string) => void): Pipes {
  let child: ServerProcess | null = null;
  let lost: string | null = null;
  let closed = false;
  const lose = (why: string): void => {
    lost ??= why;
    if (closed) return;
    closed = true;
    pipes.onclose?.();
  };
  const fail = (why: string): void => {
    lost ??= why;
    void child?.end();
  };
  const take = (line: string): void => {
    try {
      pipes.onmessage?.(deserializeMessage(line));
    } catch (error) {
      // Programs print what is no message: a person may want to read it.
      if (error instanceof SyntaxError) heard(line);
      else pipes.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const pipes: Pipes = {
    stderr: null,
    pid: null,
    lost: () => lost,
    async start() {
      const started = await start();
      child = started;
      // Whoever writes to a program that is gone hears of it by its end.
      started.input.on("error", () => undefined);
      lines(started.output, mostBytes, take, () => fail("it sent more than 10 MB at once"));
      lines(started.errors, mostLine, heard, () => undefined);
      void started.ended.then((how) => lose(`it ended ${how}`));
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child || lost !== null) reject(new Error(lost ?? "it was not started"));
        else child.input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      }),
    async close() {
      await child?.end();
      lose("it was stopped");
    },
  };
  return pipes;
}

/** Of what is said beside messages: the rest of a longer line is left out. */
const mostLine = 10_000;

/** @param over called when a line is longer than so many bytes: what is above them is not kept */
function lines(stream: Readable, most: number, take: (line: string) => void, over: () => void): void {
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    parts.push(part.subarray(0, Math.max(0, most - size)));
    const fitted = size <= most;
    size += part.length;
    if (fitted && size > most) over();
  };
  stream.on("error", () => undefined);
  stream.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, at));
      const line = Buffer.concat(parts).toString("utf8").trim();
      parts = [];
      size = 0;
      from = at + 1;
      if (line !== "") take(line);
    }
    if (from < chunk.length) add(chunk.subarray(from));
  });
}
