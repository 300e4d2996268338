// A burst of a fast endpoint: everything else has its turn meanwhile.
import assert from "node:assert/strict";
import type { ModelEvent } from "../../../src/engine/ports.ts";
import { frames, startSse } from "../../support/sse.ts";
import { chatAt, delta, hello, summary } from "./chat.ts";

describe("a burst", () => {
  it("is read in pieces between which everything else has its turn", async () => {
    const words = Array.from({ length: 4_000 }, () => delta({ content: "word " }));
    const stream = frames([...words, delta({}, "stop")]);
    const server = await startSse({ parts: [stream] });
    let counting = true;
    let most = 0;
    let since = 0;
    const count = (): void => {
      since = 0;
      if (counting) setImmediate(count);
    };
    setImmediate(count);
    try {
      const events: ModelEvent[] = [];
      for await (const event of chatAt(server.baseUrl).stream(hello, new AbortController().signal)) {
        events.push(event);
        most = Math.max(most, ++since);
      }
      assert.equal(summary(events).text.length, 20_000);
      // 16 kB of the stream are about 130 of its pieces.
      assert.ok(most < 400, `${most} pieces in one turn`);
    } finally {
      counting = false;
      await server.close();
    }
  });
});
