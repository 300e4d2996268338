// The other side of the long answer: a thread that streams fifty times faster than models write, so that its work does not count.
import { createServer } from "node:http";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import * as z from "zod";

const { wire, tokens } = z.object({ wire: z.string(), tokens: z.number() }).parse(workerData);

/** What stands around a token on each wire. */
const forms: Readonly<
  Record<string, { before: readonly object[]; token: (text: string) => object; after: readonly object[] }>
> = {
  "openai-chat": {
    before: [],
    token: (content) => ({ choices: [{ index: 0, delta: { content } }] }),
    after: [{ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
  },
  "openai-responses": {
    before: [{ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m", content: [] } }],
    token: (delta) => ({ type: "response.output_text.delta", item_id: "m", output_index: 0, content_index: 0, delta }),
    after: [{ type: "response.completed", response: { status: "completed", output: [] } }],
  },
  anthropic: {
    before: [{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
    token: (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    after: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: tokens } },
      { type: "message_stop" },
    ],
  },
};
const form = forms[wire];
if (!form) throw new Error(`there is no wire ${wire}`);

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** Words and lines, as an answer has them. */
function* frames(): Generator<string> {
  for (const event of form?.before ?? []) yield frame(event);
  for (let token = 0; token < tokens; token += 1) yield frame(form?.token(token % 12 === 11 ? ".\n" : " word") ?? {});
  for (const event of form?.after ?? []) yield frame(event);
}

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = async (): Promise<void> => {
    let batch = "";
    for (const one of frames()) {
      batch += one;
      if (batch.length < 32_768) continue;
      if (!response.write(batch)) await once(response, "drain");
      batch = "";
      // A socket that is always full is read to its end in one turn, whoever reads it: no endpoint writes like that.
      await setTimeout(5);
    }
    response.end(batch);
  };
  void send();
});
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(server.address()));
