// On every wire: a call starts at the sign that it is complete, while the server holds back everything that comes after it.
import assert from "node:assert/strict";
import { createBrain } from "../../../src/headless.ts";
import type { Params } from "../../../src/protocol/messages.ts";
import { tempDir } from "../../support/example.ts";
import { startTimed, wires, type TimedCall } from "../../support/timedWire.ts";

const call = (n: number, params: Params = {}): TimedCall => ({ name: "work", at: 0, params: { n, ...params } });
const list = [
  call(0, { _outputPath: "†state.a" }),
  call(1, { _outputPath: "†state.b" }),
  call(2, { parts: ["†state.a", "†state.b"], _outputPath: "†state.both" }),
  call(3, { text: "†state.both" }),
];

describe("calls on the wire", () => {
  for (const wire of wires)
    it(`LOOP-STREAM-2, LOOP-STREAM-6: ${wire}: starts each call at its sign, and combines results in one request`, async () => {
      const starts = list.map(() => gate());
      const began: number[] = [];
      const received: unknown[] = [];
      // The stream goes on only when the call whose sign it just sent has started.
      const server = await startTimed(wire, list, { sent: (n) => starts[n]?.opened });
      await using folder = await workspace();
      const work = ({ n, parts, text }: Params): unknown => {
        began.push(Number(n));
        starts[Number(n)]?.open();
        received.push(text);
        return Array.isArray(parts) ? parts.join("+") : `result ${String(n)}`;
      };
      const brain = createBrain({
        workspace: folder.dir,
        provider: wire,
        baseUrl: server.baseUrl,
        apiKey: "none",
        model: "test",
        tools: { tools: [{ name: "work", description: "Works." }], activities: { work } },
      });
      try {
        const outcome = await brain.run({ message: "Do it." }).result;
        assert.equal(outcome.status, "completed", outcome.failure?.message);
        assert.deepEqual([outcome.output, outcome.iterations], ["Done.", 2]);
        assert.deepEqual(began, [0, 1, 2, 3]);
        assert.equal(received.at(-1), "result 0+result 1");
      } finally {
        await brain.dispose();
        await server.close();
      }
    });
});

function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

async function workspace(): Promise<{ dir: string } & AsyncDisposable> {
  const temp = await tempDir("overlap");
  return { dir: temp.dir, [Symbol.asyncDispose]: () => temp.remove() };
}
