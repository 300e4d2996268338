// `npm run bench [-- --quick --json]`: the loop beside a bare client, Brain beside a trivial extension, and what ships.
import { stat } from "node:fs/promises";
import { parseArgs } from "node:util";
import { ensureVsix } from "../support/vsix.ts";
import { vscodeUnavailable } from "../support/vscodeInstall.ts";
import { measureHost } from "./host.ts";
import { measureLongAnswer } from "./longAnswer.ts";
import { measureLoop } from "./loop.ts";
import { measureOpening } from "./opening.ts";
import { measureOverlap } from "./overlap.ts";
import { measurePanel } from "./panel.ts";
import { measureSnapshots } from "./snapshots.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean" }, json: { type: "boolean" } } });
const { quick = false, json = false } = values;
const say = (line: string): void => {
  if (!json) console.log(line);
};

const loop = await measureLoop(quick ? 20 : 100, quick ? 1 : 5);
say(
  `loop: ${loop.brain.toFixed(2)} ms a turn; a bare client ${loop.bare.toFixed(2)} ms; ratio ${loop.ratio.toFixed(2)}`,
);

const overlap = await measureOverlap(quick ? 1 : 5, ({ wire, scenario, makespan, critical, ratio, lag, requests }) =>
  say(
    `overlap: ${wire}, ${scenario}: ${makespan.toFixed(0)} ms of ${critical} (${ratio.toFixed(3)}), started within ${lag.toFixed(1)} ms, ${requests} request`,
  ),
);

const longAnswer = await measureLongAnswer(quick ? 50_000 : 200_000, ({ wire, tokens, total, block, held }) =>
  say(
    `long answer: ${wire}, ${tokens} tokens: ${(total / 1_000).toFixed(1)} s, nothing blocked for more than ${block.toFixed(0)} ms, +${held.toFixed(1)} MB at its end`,
  ),
);

const opening = await measureOpening(quick ? 10_000 : 100_000, quick ? 1 : 5, ({ name, ms, rss }) =>
  say(`opening: ${name}: ${ms.toFixed(ms < 1 ? 3 : 0)} ms, +${rss.toFixed(0)} MB`),
);

const undo = await measureSnapshots(quick ? 1_000 : 10_000, quick ? 3 : 9);
say(
  `undo: ${undo.files} files, ${undo.cold.toFixed(0)} ms before the first command, then ${undo.before.toFixed(0)} ms before and ${undo.after.toFixed(0)} ms after each (${undo.cpu.toFixed(0)} ms of processor time, nothing blocked for more than ${undo.block.toFixed(0)} ms)`,
);

const panel = await measurePanel(quick ? 1_000 : 10_000, quick ? 1 : 5);
if (panel) {
  const { open, openWork, scrollTask, scrollWork, nodes, heap, streams } = panel;
  say(
    `panel: a long session opens in ${open.toFixed(0)} ms (${openWork.toFixed(0)} of work), scrolls with ${scrollWork.toFixed(1)} ms of work a screen (at most ${scrollTask.toFixed(0)} in one go), has ${nodes} elements and ${heap.toFixed(0)} MB`,
  );
  for (const { form, fps, task, work, heap: used } of streams)
    say(
      `panel: 200,000 tokens (${form}) stream at ${fps.toFixed(0)} frames a second with ${work.toFixed(1)} ms of work each (at most ${task.toFixed(0)} in one go), ${used.toFixed(0)} MB at the end`,
    );
  say(
    `panel: killed, it is as it was after ${panel.restore.toFixed(0)} ms (${panel.restoreWork.toFixed(0)} of work); 10,000 sessions are listed in ${panel.sessions.toFixed(0)} ms (${panel.sessionsWork.toFixed(0)} of work), with ${panel.sessionsNodes} elements on the page`,
  );
} else say("panel: skipped. There is no browser.");

const vsix = (await stat(await ensureVsix())).size;
say(`size: the VSIX has ${(vsix / 1024).toFixed(0)} kB`);

const reason = vscodeUnavailable();
const host = reason === undefined ? await measureHost(quick ? 1 : 5, say) : null;
if (host) {
  const { brain, trivial, ratio } = host;
  say(
    `host: activates in ${brain.activation} ms (trivial ${trivial.activation}), first paint ${brain.firstPaint.toFixed(0)} ms (trivial ${trivial.firstPaint.toFixed(0)}, ratio ${ratio.firstPaint?.toFixed(2) ?? "-"}), heap +${brain.heap.toFixed(1)} MB`,
  );
} else say(`host: skipped. ${reason}`);

if (json) console.log(JSON.stringify({ loop, overlap, longAnswer, opening, undo, panel, vsix, host }, undefined, 2));
