// The panel in a real browser: what its keys send, what it survives, and who can read it.
import assert from "node:assert/strict";
import { LoopError, toFailure } from "../../src/protocol/errors.ts";
import type { PanelEvent } from "../../src/protocol/events.ts";
import type { ToHost } from "../../src/protocol/wire.ts";
import { approve, composer, decide, usePanel } from "./harness.ts";
import { drawn, hold, until } from "./page.ts";
import * as story from "./stories.ts";

const asked = [story.setup(), ...story.start("Rename the module.")];
const two = [...asked, ...story.pendingEdit("e1"), ...story.pendingCommand("c1")];

describe("the panel in a browser", function () {
  this.timeout(60_000);
  const { panel, server, show, open: openEmpty, tell, press, focused, transcript } = usePanel();

  describe("asks the host", () => {
    it("sends a message on Enter, a new line on Shift+Enter, and nothing when there is nothing to send", async () => {
      await show([story.setup()]);
      await panel().page.getByLabel(composer).focus();
      await press("Enter", "Space", "Enter");
      assert.deepEqual(await panel().posted(), []);
      await panel().page.keyboard.type("one");
      await press("Shift+Enter");
      await panel().page.keyboard.type("two");
      await press("Enter");
      assert.deepEqual(await panel().posted(), [{ type: "prompt:submit", text: " one\ntwo" }]);
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "");
    });

    it("stops a run only by the button, and leaves what is being written alone", async () => {
      await show(asked);
      await panel().page.getByLabel(composer).fill("next");
      await press("Escape");
      assert.deepEqual(await panel().posted(), []);
      await panel().page.getByRole("button", { name: "Stop", exact: true }).click();
      assert.deepEqual(await panel().posted(), [{ type: "run:stop" }]);
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "next");
    });

    it("gives a refused message back to the person who wrote it", async () => {
      await show([story.setup()]);
      await panel().page.getByLabel(composer).fill("do it");
      await press("Enter");
      await tell({
        type: "panel:failure",
        failure: { code: "session_busy", status: 503, message: "Busy.", next: "Wait." },
      });
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "do it");
    });

    it("puts a refused message before what is being written by then", async () => {
      await show([story.setup()]);
      await panel().page.getByLabel(composer).fill("do it");
      await press("Enter");
      await panel().page.keyboard.type("and more");
      await tell({
        type: "panel:failure",
        failure: { code: "session_busy", status: 503, message: "Busy.", next: "Wait." },
      });
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "do it\n\nand more");
    });

    it("offers what an error asks for, and tries again with the same message", async () => {
      const error = {
        code: "rate_limited",
        status: 429,
        message: "Too many requests.",
        next: "Wait.",
        action: "retry",
      };
      await show([...asked, { type: "loop:error", runId: "run-1", error }, story.end("error")]);
      await panel().page.getByRole("button", { name: "Try Again" }).click();
      assert.deepEqual(await panel().posted(), [
        { type: "message:again", messageId: "run-1-user", text: "Rename the module." },
      ]);
    });

    it("leads each failure of a model to its next step", async () => {
      for (const [code, button, command] of [
        ["key_missing", "Set API Key", "setApiKey"],
        ["key_rejected", "Set API Key", "setApiKey"],
        ["endpoint_unreachable", "Open Settings", "openSettings"],
        ["model_not_found", "Select Model", "selectModel"],
        ["access_denied", "Select Model", "selectModel"],
        ["quota_exhausted", "Select Model", "selectModel"],
        ["editor_models_missing", "Set Up Model", "setUpModel"],
        ["consent_missing", "Try Again", null],
        ["rate_limited", "Try Again", null],
        ["reply_stalled", "Try Again", null],
      ] as const) {
        const { details: _, ...error } = toFailure(new LoopError(code, `It was ${code}.`));
        await show([...asked, { type: "loop:error", runId: "run-1", error }, story.end("error")]);
        await panel().page.getByText(`It was ${code}.`, { exact: true }).waitFor();
        await panel().page.getByRole("button", { name: button, exact: true }).click();
        const retry = { type: "message:again", messageId: "run-1-user", text: "Rename the module." };
        const expected = command === null ? retry : { type: "command:run", command };
        assert.deepEqual((await panel().posted()).at(-1), expected, code);
      }
    });

    it("says what the run and the session cost, where that is known", async () => {
      const paid = { ...story.end("completed"), cost: 0.034 };
      await show([story.setup(story.real), ...story.start("Rename the module."), paid]);
      await panel().page.getByText("Worked 12 s · 4,210 tokens · $0.03").waitFor();
      await panel()
        .page.getByLabel("This session has cost $0.03, by what its endpoints say or the known prices of its models.")
        .waitFor();
    });

    it("runs the commands behind its buttons", async () => {
      await show([story.setup({ workspace: "untrusted" })]);
      for (const name of ["Trust", "coder", "demo", "Set up a model"]) {
        await panel().page.getByRole("button", { name, exact: true }).click();
      }
      const commands = (await panel().posted()).map((message) =>
        message.type === "command:run" ? message.command : "",
      );
      assert.deepEqual(commands, ["trust", "selectAgent", "selectModel", "setUpModel"]);
    });
  });

  describe("decides by key", () => {
    it("approves with Enter, goes on to the next call, and back to the composer after the last", async () => {
      await show(two);
      await panel().page.getByLabel(composer).focus();
      // The buttons of the head come between: "Approve all" is before the list, so one step back is the list.
      await press("Shift+Tab");
      assert.equal(await focused(), "e1");
      await press("Enter");
      assert.equal(await focused(), "c1");
      await press("Enter");
      assert.equal(await focused(), composer);
      assert.deepEqual(await panel().posted(), [approve("e1"), approve("c1")]);
    });

    it("moves by arrows, and asks nothing twice while the host has not answered", async () => {
      await show(two);
      await panel().page.locator("[data-call=e1]").focus();
      await press("ArrowDown", "ArrowUp", "End");
      assert.equal(await focused(), "c1");
      await press("Enter");
      assert.equal(await focused(), "e1");
      await panel().page.locator("[data-call=c1]").focus();
      await panel().page.waitForTimeout(250);
      await press("Enter");
      assert.deepEqual(await panel().posted(), [approve("c1")]);
    });

    it("changes a call with E and runs it with Ctrl+Enter", async () => {
      await show(two);
      await panel().page.locator("[data-call=c1]").focus();
      await press("e");
      assert.equal(await panel().page.evaluate("document.activeElement.value"), "npm install left-pad");
      await press("Control+A");
      await panel().page.keyboard.type("npm test");
      await press("Control+Enter");
      const params = { command: "npm test", timeout: 30_000 };
      assert.deepEqual(await panel().posted(), [decide("c1", { kind: "modify", params })]);
      assert.equal(await focused(), "e1");
    });

    it("approves when nothing was changed in the form", async () => {
      await show(two);
      await panel().page.locator("[data-call=c1]").focus();
      await press("e", "Control+Enter");
      assert.deepEqual(await panel().posted(), [approve("c1")]);
    });

    it("rejects with Backspace, with a reason or without, and Escape takes it back", async () => {
      await show(two);
      await panel().page.locator("[data-call=e1]").focus();
      await press("Backspace", "Escape");
      assert.equal(await focused(), "e1");
      await press("Backspace");
      await panel().page.keyboard.type("not this file");
      await press("Enter");
      assert.equal(await focused(), "c1");
      await panel().page.waitForTimeout(250);
      await press("Delete", "Enter");
      const reason = "not this file";
      assert.deepEqual(await panel().posted(), [
        decide("e1", { kind: "reject", reason }),
        decide("c1", { kind: "reject" }),
      ]);
    });

    it("takes the second press of a double click for a slip", async () => {
      await show(two);
      await panel().page.getByRole("button", { name: "Approve ⏎" }).first().dblclick();
      assert.deepEqual(await panel().posted(), [approve("e1")]);
    });

    it("approves all that it shows, each by its name, and none that came meanwhile", async () => {
      await show(two);
      await panel().page.getByRole("button", { name: "Approve all" }).click();
      await tell(...story.pendingCommand("c2"));
      assert.deepEqual(await panel().posted(), [approve("e1"), approve("c1")]);
    });

    it("opens the form or the reason box when a palette command asks", async () => {
      await show(two);
      await panel().send({ type: "call:focus", toolCallId: "c1", part: "modify" });
      await drawn(panel().page);
      assert.equal(await panel().page.evaluate("document.activeElement.value"), "npm install left-pad");
      await panel().send({ type: "call:focus", toolCallId: "e1", part: "reject" });
      await drawn(panel().page);
      assert.equal(await panel().page.evaluate("document.activeElement.placeholder"), "Why not? (optional)");
      await panel().send({ type: "composer:focus" });
      assert.equal(await focused(), composer);
    });

    it("goes to the call that the host asks for, and lets the person go on from there", async () => {
      await show(two);
      await panel().send({ type: "call:focus", toolCallId: "e1", part: "row" });
      await drawn(panel().page);
      assert.equal(await focused(), "e1");
      await panel().page.keyboard.press("ArrowDown");
      await drawn(panel().page);
      assert.equal(await focused(), "c1");
    });

    it("does not move the focus when calls come and go", async () => {
      await show(asked);
      await panel().page.getByLabel(composer).focus();
      await tell(...story.pendingEdit("e1"), ...story.pendingCommand("c1"));
      assert.equal(await focused(), composer);
      await tell(story.ended(story.edit("e1"), "…"));
      assert.equal(await focused(), composer);
    });

    it("keeps the focus in the list when its row is decided elsewhere", async () => {
      await show(two);
      await panel().page.locator("[data-call=e1]").focus();
      await tell(story.decided(story.edit("e1"), { kind: "approve" }));
      await drawn(panel().page);
      assert.equal(await focused(), "c1");
      await tell(story.decided(story.command("c1", ""), { kind: "approve" }));
      await drawn(panel().page);
      assert.equal(await focused(), composer);
    });
  });

  it("says whether a command will run in the sandbox", async () => {
    for (const [confined, words] of [
      [true, "in the sandbox"],
      [false, "outside the sandbox"],
    ] as const) {
      await show([...asked, ...story.pendingConfined("c1", confined)]);
      await panel().page.locator(".pending-row .command").getByText(words, { exact: true }).waitFor();
    }
  });

  describe("shows a form", () => {
    async function open(): Promise<void> {
      await show([...asked, ...story.pendingCommand("c1")]);
      await panel().page.getByRole("button", { name: "Modify" }).click();
    }
    const field = (name: string) => panel().page.getByRole("textbox", { name });
    const run = () => panel().page.getByRole("button", { name: "Run Ctrl" });

    it("says what is wrong as one types, and runs nothing until it is right", async () => {
      await open();
      const { page } = panel();
      for (const [name, text, problem] of [
        ["Timeout", "soon", "This must be a number."],
        ["Timeout", "1.5", "This must be a whole number."],
        ["Timeout", "5", "This must be at least 1000."],
        ["Command", "", "This is required."],
        ["Env", "{", /not valid JSON/],
        ["Env", "[]", "This must be an object: { … }."],
      ] as const) {
        const before = await field(name).inputValue();
        await field(name).fill(text);
        await drawn(page);
        const told = await page.locator(".field-problem").innerText();
        if (typeof problem === "string") assert.equal(told, problem);
        else assert.match(told, problem);
        assert.equal(await field(name).getAttribute("aria-invalid"), "true");
        assert.equal(await run().isDisabled(), true);
        await field(name).press("Control+Enter");
        await field(name).fill(before);
      }
      assert.deepEqual(await panel().posted(), []);
    });

    it("marks what differs from the proposal, and puts it back", async () => {
      await open();
      await field("Timeout").fill("5000");
      await drawn(panel().page);
      assert.equal(await panel().page.locator(".field.changed").count(), 1);
      await panel().page.getByRole("button", { name: "Put back what was proposed for Timeout" }).click();
      assert.equal(await field("Timeout").inputValue(), "30000");
      await drawn(panel().page);
      assert.equal(await panel().page.locator(".field.changed").count(), 0);
    });

    it("is also one JSON text, and takes over what was typed in either", async () => {
      await open();
      await panel().page.getByLabel("Shell").selectOption("zsh");
      await panel().page.getByRole("button", { name: "JSON" }).click();
      await panel().page.getByLabel("All parameters").fill('{ "command": "ls", "shell": "zsh", "extra": [1] }');
      await panel().page.getByRole("button", { name: "JSON" }).click();
      assert.equal(await field("Command").inputValue(), "ls");
      await panel().page.getByRole("button", { name: "JSON" }).click();
      await run().click();
      const params = { command: "ls", shell: "zsh", extra: [1] };
      assert.deepEqual(await panel().posted(), [decide("c1", { kind: "modify", params })]);
    });

    it("stays open with its values when the host refuses them", async () => {
      await open();
      await field("Command").fill("cat /etc/passwd");
      await run().click();
      const modify = { kind: "modify", params: { command: "cat /etc/passwd", timeout: 30_000 } } as const;
      await tell(story.decided(story.command("c1", ""), modify, "/etc is outside of the workspace."));
      assert.equal(await panel().page.locator(".problem").innerText(), "/etc is outside of the workspace.");
      assert.equal(await field("Command").inputValue(), "cat /etc/passwd");
      assert.equal(await run().isDisabled(), false);
    });

    it("and the drafts outlive the panel", async () => {
      await open();
      await field("Command").fill("npm test");
      await panel().page.getByLabel(composer).fill("and then");
      await panel().reload();
      await panel().send({ type: "snapshot", view: story.fold([...asked, ...story.pendingCommand("c1")]) });
      assert.equal(await field("Command").inputValue(), "npm test");
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "and then");
    });
  });

  describe("draws", () => {
    it("the same from a snapshot in the middle of a run as from its events", async () => {
      await show(story.working());
      const folded = await transcript();
      await openEmpty();
      await panel().send({ type: "snapshot", view: story.fold(story.working()) });
      await panel().page.waitForSelector(".markdown:not(.plain)");
      assert.equal(await transcript(), folded);
      assert.match(folded, /Run\s+node --test/);
      assert.match(folded, /after Edit src\/price\.js/);
    });

    it("a streamed answer as the finished one, whatever its pieces were", async () => {
      await show(asked);
      for (let at = 0; at < story.answer.length; at += 37)
        await tell(story.says(story.answer.slice(at, at + 37), "m1"));
      await tell(story.said("m1", false), story.end());
      const streamed = await panel().page.locator(".markdown").innerHTML();
      await show([...asked, story.says(story.answer, "m1"), story.said("m1", false), story.end()]);
      assert.equal(await panel().page.locator(".markdown").innerHTML(), streamed);
      assert.match(streamed, /code-keyword/);
    });

    it("keeps the nodes of finished blocks while an answer grows", async () => {
      await show([...asked, story.says("# Title\n\nOne.\n\nTwo.\n\nThree.\n\nFour", "m1")]);
      await panel().page.evaluate("window.first = document.querySelector('.markdown').firstElementChild");
      await tell(story.says(" and five.\n\nSix.", "m1"));
      assert.equal(
        await panel().page.evaluate("document.querySelector('.markdown').firstElementChild === window.first"),
        true,
      );
    });

    it("the columns of a table as they are aligned", async () => {
      await show([...asked, story.says("| a | b | c |\n| --- | ---: | :-: |\n| 1 | 2 | 3 |\n", "m1"), story.end()]);
      const sides = "[...document.querySelectorAll('.markdown td')].map((cell) => getComputedStyle(cell).textAlign)";
      assert.match(String(await panel().page.evaluate(sides)), /^start,\S*right,\S*center$/);
    });

    it("hostile markdown without doing what it says", async () => {
      await show([...asked, story.says(hostile, "m1"), story.said("m1", false), story.end()]);
      const inside = (selector: string): Promise<number> => panel().page.locator(`.markdown ${selector}`).count();
      for (const selector of [
        "script",
        "img",
        "iframe",
        "form",
        "style",
        "svg",
        "[href]",
        "[src]",
        "[onerror]",
        "[style]",
      ]) {
        assert.equal(await inside(selector), 0, selector);
      }
      assert.equal(await panel().page.evaluate("window.hacked === undefined"), true);
      for (const link of await panel().page.locator(".markdown [role=link]").all()) await link.click();
      assert.deepEqual(await panel().posted(), [
        { type: "link:open", url: "https://example.org/pixel.png" },
        { type: "link:open", url: "https://example.org/good" },
        { type: "file:open", path: "src/a.js", line: 12 },
        { type: "file:open", path: "docs/read me.md" },
      ] satisfies ToHost[]);
    });

    it("copies code as it was written", async () => {
      await show(story.finished());
      await panel().page.getByRole("button", { name: "Copy this js code" }).click();
      const [message] = await panel().posted();
      assert.equal(message?.type === "text:copy" && message.text.startsWith("// The discount goes first"), true);
    });

    it("hands code on to the editor, with its language", async () => {
      await show(story.finished());
      await panel().page.getByRole("button", { name: "Insert this js code at the cursor" }).click();
      await panel().page.getByRole("button", { name: "Open this js code in a new editor" }).click();
      const apply = panel().page.getByRole("button", { name: "Apply this js code to a file" });
      await apply.focus();
      await panel().page.keyboard.press("Enter");
      const used = (await panel().posted()).flatMap((one) => (one.type === "code:use" ? [one] : []));
      assert.deepEqual(
        used.map(({ how, language }) => [how, language]),
        [
          ["insert", "js"],
          ["open", "js"],
          ["apply", "js"],
        ],
      );
      assert.ok(used.every(({ text }) => text.startsWith("// The discount goes first")));
    });

    it("nothing wider than itself, from 240 pixels on", async () => {
      const long = story.pendingEdit("e9", "a/very/long/path/to/some/module.js");
      const scenes: readonly (readonly PanelEvent[])[] = [
        [...story.finished().slice(0, -1), ...long],
        story.withPlan("lazy"),
        [
          ...asked,
          story.paused(),
          story.queue("A long message that says what is to be done after all this.", "Short."),
        ],
        story.delegated(),
        story.deep(),
      ];
      for (const width of [240, 320, 1_200]) {
        for (const [index, events] of scenes.entries()) {
          await show(events, { width });
          await panel().page.getByLabel(composer).fill("Something is being written.");
          await drawn(panel().page);
          const wide = await panel().page.evaluate(`[...document.querySelectorAll("#root *")]
            .filter((element) => element.getBoundingClientRect().right > ${width} + 1 && !element.closest("table"))
            .map((element) => element.className)`);
          assert.deepEqual(wide, [], `scene ${index} at ${width}`);
        }
      }
    });

    it("the composer wholly in sight, however much waits above it", async () => {
      await show([...two, ...story.pendingEdit("e3", "b.js"), story.queue("1", "2", "3", "4", "5", "6", "7", "8")], {
        width: 260,
        height: 600,
      });
      const box = await panel().page.locator(".composer").boundingBox();
      assert.ok(box && box.y + box.height <= 600, JSON.stringify(box));
    });

    it("what was typed before its script came, with the cursor still there", async () => {
      await openEmpty({ early: "Typed early" });
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "Typed early");
      await press("!");
      assert.equal(await panel().page.getByLabel(composer).inputValue(), "Typed early!");
    });

    it("what came before its scripts, once, and asks for it once", async () => {
      await openEmpty();
      const { page } = panel();
      const { release } = await hold(page, "**/main.js");
      await page.reload({ waitUntil: "commit" });
      await page.waitForSelector(".composer");
      const [first, ...rest] = [...asked, story.says("Once and not again.", "m1")];
      await panel().send({ type: "snapshot", view: story.fold([first]) }, { type: "events", events: rest, batch: 7 });
      assert.equal(await page.locator(".turn").count(), 0);
      release();
      await page.getByText("Once and not again.", { exact: true }).waitFor();
      assert.equal(await page.locator(".turn").count(), 1);
      await until(page, "window.posted.some(({ type, batch }) => type === 'panel:drawn' && batch === 7)");
      const ready = await page.evaluate("window.posted.filter(({ type }) => type === 'panel:ready').length");
      assert.equal(ready, 1);
    });

    it("no sign of life when its script cannot be run: the host loads it again", async () => {
      await openEmpty();
      const { page } = panel();
      const alive = (): Promise<unknown> =>
        page.evaluate("window.posted.filter(({ type }) => type === 'panel:alive').length");
      await panel().send({ type: "ping" });
      assert.equal(await alive(), 1);
      const body = "window.begun = true; throw 0;";
      await page.route("**/main.js", (route) => route.fulfill({ contentType: "text/javascript", body }));
      await page.reload();
      await until(page, "window.begun");
      await panel().send({ type: "ping" });
      assert.equal(await alive(), 0);
    });

    it("its scripts in few files: each is one more to wait for", () => {
      assert.ok(server().usualScripts <= 3, `${server().usualScripts} files`);
    });

    it("with 250 kB of scripts at the most, 80 kB compressed before anything of its own is opened, and nothing from elsewhere", async () => {
      const { allSize, usualCompressed } = server();
      assert.ok(allSize < 250_000 && usualCompressed < 80_000, `${allSize} bytes, ${usualCompressed} compressed`);
      const asked: string[] = [];
      await openEmpty();
      panel().page.on("request", (request) => asked.push(request.url()));
      await panel().reload();
      await tell(...story.finished());
      await panel().page.waitForSelector(".code-keyword");
      const elsewhere = asked.filter((url) => !url.startsWith(server().url) && !url.startsWith("data:"));
      assert.ok(asked.length > 3);
      assert.deepEqual(elsewhere, []);
    });
  });

  describe("scrolls", () => {
    const place = (): Promise<number> => panel().page.evaluate("document.querySelector('.transcript').scrollTop");
    const fromEnd = (): Promise<number> =>
      panel().page.evaluate(
        "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.transcript'))",
      );

    it("follows the end of a growing answer while the reader is there, and leaves a reader above alone", async () => {
      await show([...asked, story.says("line\n\n".repeat(100), "m1")]);
      await tell(story.says("line\n\n".repeat(100), "m1"));
      await drawn(panel().page);
      assert.ok((await fromEnd()) < 30, "at the end");
      await panel().page.locator(".transcript").hover();
      await panel().page.mouse.wheel(0, -900);
      await panel().page.getByRole("button", { name: "Jump to latest" }).waitFor();
      // It can be read over text, in a theme that has buttons without a ground, too.
      await panel().page.evaluate(
        "document.documentElement.style.setProperty('--vscode-button-secondaryBackground', 'transparent')",
      );
      const ground = await panel().page.evaluate<string>(
        "getComputedStyle(document.querySelector('.jump')).backgroundColor",
      );
      assert.match(ground, /^rgb\(/);
      await panel().page.waitForTimeout(300);
      const before = await place();
      for (let count = 0; count < 10; count += 1) await tell(story.says("more\n\n".repeat(10), "m1"));
      assert.equal(await place(), before);
      await panel().page.getByRole("button", { name: "Jump to latest" }).click();
      await drawn(panel().page);
      assert.ok((await fromEnd()) < 30, "at the end again");
    });
  });

  describe("can be read by everybody", () => {
    it("says in sentences what waits and when the answer is finished, and nothing per token", async () => {
      await show(asked);
      const told = () => panel().page.getByRole("status").innerText();
      await tell(...story.pendingEdit("e1"), ...story.pendingCommand("c1"));
      assert.equal(await told(), "2 calls wait: edit src/price.js, run npm install left-pad.");
      await tell(story.says("Some words", "m9"));
      assert.equal(await told(), "2 calls wait: edit src/price.js, run npm install left-pad.");
      await tell(story.end());
      assert.equal(await told(), "Answer finished.");
    });

    it("has one tab stop for the conversation, where arrows move and Enter unfolds", async () => {
      await show(story.finished(), { height: 1_600 });
      await panel().page.getByLabel(composer).focus();
      await press("Shift+Tab");
      await press("Home", "ArrowDown");
      assert.equal(await panel().page.evaluate("document.activeElement.innerText"), "Thought");
      await press("Enter");
      assert.match(await transcript(), /it is rounding/);
      await press("Tab");
      assert.equal(await focused(), composer);
    });
  });
});

const hostile = `<script>window.hacked = 1</script>

<img src=x onerror="window.hacked = 1"> <svg onload="window.hacked = 1"></svg>
<iframe src="https://example.org"></iframe> <form action="https://example.org"><input></form> <style>* { display: none }</style>
<a href="command:workbench.action.quit" onclick="window.hacked = 1">quit</a> <b style="position:fixed">fixed</b>

[script](javascript:window.hacked=1) [command](command:workbench.action.quit) [data](data:text/html,x) [vs](vscode://x/y)
[up](../../etc/passwd) [root](/etc/passwd) [file](file:///etc/passwd) <javascript:window.hacked=1>

![pixel](https://example.org/pixel.png) [good](https://example.org/good "title\\" onclick=\\"window.hacked=1") \`src/a.js:12\` [doc](<docs/read me.md>)

\`\`\`"><img src=x onerror=window.hacked=1>
<script>window.hacked = 1</script>
\`\`\`
`;
