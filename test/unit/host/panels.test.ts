// Several panels at once: all hear everything, and the host turns to the one that a person sees.
import assert from "node:assert/strict";
import type { Bridge } from "../../../src/host/bridge.ts";
import { createPanels } from "../../../src/host/panels.ts";
import type { PanelEvent } from "../../../src/protocol/events.ts";
import type { ToWebview } from "../../../src/protocol/wire.ts";

function made(name: string, log: string[]) {
  const panel = { name, seen: true, visible: (): boolean => panel.seen, post: () => Promise.resolve(true) };
  const say = (what: string): void => void log.push(`${name}: ${what}`);
  const bridge: Bridge = {
    attach: () => say("attach"),
    detach: () => say("detach"),
    receive: () => Promise.resolve(),
    event: ({ type }) => say(type),
    ping: () => true,
    ask: ({ type }) => say(type),
  };
  return { panel, bridge };
}

const focus: ToWebview = { type: "composer:focus" };
const news: PanelEvent = { type: "queue:changed", queue: [] };

describe("panels", () => {
  it("all hear what happens; one that is gone hears no more", () => {
    const log: string[] = [];
    const panels = createPanels();
    const [side, tab] = [made("side", log), made("tab", log)];
    panels.add(side.panel, side.bridge);
    panels.add(tab.panel, tab.bridge);
    panels.event(news);
    panels.remove(tab.panel);
    panels.event(news);
    assert.deepEqual(log.slice(2), ["tab: queue:changed", "side: queue:changed", "tab: detach", "side: queue:changed"]);
  });

  it("are asked one at a time: the one in sight, and of those the one used last", () => {
    const log: string[] = [];
    const panels = createPanels<ReturnType<typeof made>["panel"]>();
    const [side, tab] = [made("side", log), made("tab", log)];
    panels.add(side.panel, side.bridge);
    panels.add(tab.panel, tab.bridge);
    log.length = 0;
    panels.ask(focus);
    panels.used(side.panel);
    panels.ask(focus);
    side.panel.seen = false;
    panels.ask(focus);
    tab.panel.seen = false;
    panels.ask(focus);
    assert.deepEqual(
      log,
      ["tab", "side", "tab", "side"].map((name) => `${name}: composer:focus`),
    );
    assert.equal(panels.front()?.name, "side");
  });

  it("that come later are asked what nobody could be asked", () => {
    const log: string[] = [];
    const panels = createPanels();
    panels.ask(focus);
    const [side, tab] = [made("side", log), made("tab", log)];
    panels.add(side.panel, side.bridge);
    panels.add(tab.panel, tab.bridge);
    assert.deepEqual(log, ["side: attach", "side: composer:focus", "tab: attach"]);
  });
});
