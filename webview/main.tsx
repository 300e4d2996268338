// Starts the panel: draws at once what the host has sent by then, and what it sends from then on once a frame.
import { h, render } from "preact";
import { App } from "./app.tsx";
import { connect } from "./bridge.ts";
import { focusComposer } from "./focus.ts";
import type { Bridge } from "./bridge.ts";
import { lazy } from "./lazy.ts";
import "./main.css";
import { createRenderer } from "./markdown.ts";
import { createStore } from "./store.ts";

const root = document.getElementById("root");
if (root) start(root);

function start(root: HTMLElement): void {
  const bridge = connect();
  let frame: number | undefined;
  let drawing = false;
  const draw = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    drawing = true;
    render(h(App, { tools, state: store.state() }), root);
    drawing = false;
  };
  const store = createStore(bridge, (by) => {
    // The key after this one must find what this one has typed; what the host sends can wait for its frame.
    if (by === "person" && !drawing) draw();
    else if (document.hidden) setTimeout(draw);
    else frame ??= requestAnimationFrame(draw);
  });
  const more = lazy(() => import("./more.ts"));
  const tools = { store, markdown: createRenderer(), more, listen: bridge.listen };
  const early = typedInto(root);
  answerHost(bridge, draw);
  // What has come by now is drawn at once.
  bridge.begin();
  draw();
  if (early.text !== "") store.setUi({ draft: [store.state().ui.draft, early.text].filter(Boolean).join("\n\n") });
  if (early.focused) focusComposer();
  // A host that is new knows nothing of what was half written before.
  store.save();
  // Keys of an input method choose among its words: they send, cancel and close nothing.
  document.addEventListener("keydown", (event) => event.isComposing && event.stopPropagation(), true);
  // Whoever closes its tab has gone to that first.
  for (const leaving of ["pagehide", "blur"]) window.addEventListener(leaving, store.save);
  // Or closes it by a key of the editor, which may be quicker than the next time that drafts are written down.
  window.addEventListener("keydown", (event) => void ((event.ctrlKey || event.metaKey) && store.save()), true);
}

/** What a person has typed into the frame that was painted before this script came. */
function typedInto(root: HTMLElement): { readonly text: string; readonly focused: boolean } {
  const field = root.querySelector("textarea");
  return { text: field?.value.trim() ?? "", focused: field !== null && document.activeElement === field };
}

/** Says that it lives, and what is on the screen. Where nobody looks no frame comes: then drawing is enough. */
function answerHost(bridge: Bridge, draw: () => void): void {
  let owed: number | null = null;
  const drawn = (): void => {
    if (owed !== null) bridge.post({ type: "panel:drawn", batch: owed });
    owed = null;
  };
  bridge.listen((message) => {
    if (message.type === "ping") bridge.post({ type: "panel:alive" });
    if (message.type !== "events" || message.batch === undefined) return;
    owed = message.batch;
    if (document.hidden) setTimeout(drawn);
    else requestAnimationFrame(() => setTimeout(drawn));
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return;
    draw();
    drawn();
  });
}
