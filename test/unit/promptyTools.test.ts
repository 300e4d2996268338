// The tools of a prompt: who does their work, what bindings hide and give, and prompts that are tools of prompts.
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import path from "node:path";
import type { DeclaredTool } from "../../src/protocol/agents.ts";
import type { Params } from "../../src/protocol/messages.ts";
import { calls, ofType, says, scriptedModel, type Script } from "../support/kit.ts";
import { errorOf, invoking, withPrompts } from "../support/invoking.ts";

const secret = "sesame-4711";
const weather = {
  name: "weather",
  kind: "function",
  description: "Weather",
  parameters: [
    { name: "city", kind: "string", required: true },
    { name: "key", kind: "string", required: true },
  ],
  bindings: { key: { input: "apiKey" } },
};
const asking = { instructions: "Go.", inputs: [{ name: "apiKey", kind: "string" }], tools: [weather] };

describe("bindings", () => {
  it("PROMPTY-9.5-1 PROMPTY-9.5-2 give a tool its values, whatever the model has written for them", async () => {
    const given: Params[] = [];
    const tools = { weather: (args: Params) => void given.push(args) };
    const scripts = [calls(["a", "weather", { city: "P" }], ["b", "weather", { city: "P", key: "guess" }]), says("ok")];
    await invoking({ agent: asking, inputs: { apiKey: secret }, tools, scripts }).run.result;
    assert.deepEqual(given, [
      { city: "P", key: secret },
      { city: "P", key: secret },
    ]);
  });

  it("PROMPTY-9.5-3 what a model gives for one counts for nothing where the input is not there", async () => {
    const given: Params[] = [];
    const tools = { weather: (args: Params) => void given.push(args) };
    const scripts = [calls(["b", "weather", { city: "P", key: "guess" }]), says("ok")];
    await invoking({ agent: asking, tools, scripts }).run.result;
    assert.deepEqual(given, [{ city: "P" }]);
  });

  it("PROMPTY-9.5-4 are not told to the model, also where parameters are a JSON Schema", async () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string" }, key: { type: "string" } },
      required: ["city", "key"],
    };
    for (const parameters of [weather.parameters, schema]) {
      const agent = { ...asking, tools: [{ ...weather, parameters }] };
      const { run, model } = invoking({ agent, tools: { weather: () => "" }, scripts: [says("ok")] });
      await run.result;
      const [tool] = model.requests[0]?.tools ?? [];
      const left = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      assert.deepEqual(tool?.parameters, left);
    }
  });

  it("their values reach neither the model nor any event, not even when the tool fails with them", async () => {
    const weather = ({ key }: { key?: unknown }): never => {
      throw new Error(`${String(key)} was refused`);
    };
    const scripts = [calls(["a", "weather", { city: "P" }]), says("ok")];
    const made = invoking({ agent: asking, inputs: { apiKey: secret }, tools: { weather }, scripts });
    const outcome = await made.run.outcome;
    assert.match(outcome.toolResults[0]?.content ?? "", /weather failed: \[bound\] was refused/);
    assert.doesNotMatch(JSON.stringify([outcome, made.events, made.model.requests]), new RegExp(secret));
  });
});

describe("who does a tool's work", () => {
  const lookup = { name: "lookup", kind: "library", parameters: [{ name: "q", kind: "string" }] };
  const agent = { instructions: "Go.", inputs: { lang: "en" }, tools: [lookup] };
  const scripts = [calls(["a", "lookup", { q: "x" }]), says("ok")];

  it("PROMPTY-11.2-1 is the handler of its name before that of its kind", async () => {
    const kinds = { library: () => "by kind" };
    const both = invoking({ agent, tools: { lookup: () => "by name" }, scripts, options: { kinds } });
    assert.equal((await both.run.outcome).toolResults[0]?.content, "by name");
    const one = invoking({ agent, scripts, options: { kinds } });
    assert.equal((await one.run.outcome).toolResults[0]?.content, "by kind");
  });

  it("PROMPTY-11.2-2 that of its kind is given the tool, the arguments, the agent and its inputs", async () => {
    const given: unknown[][] = [];
    const library = (tool: DeclaredTool, args: Params, of: { readonly name: string }, inputs: Params): string => {
      given.push([tool.name, tool["parameters"], args, of.name, inputs]);
      return "";
    };
    await invoking({ agent: { ...agent, name: "x" }, inputs: { more: 1 }, scripts, options: { kinds: { library } } })
      .run.result;
    assert.deepEqual(given, [["lookup", lookup.parameters, { q: "x" }, "x", { lang: "en", more: 1 }]]);
  });

  it("PROMPTY-11.2-3 where it is nobody, the error names tool and kind", async () => {
    const error = await errorOf(invoking({ agent, scripts }).run);
    assert.equal(error.message, "No handler registered for tool: lookup (kind: library).");
  });

  it("PROMPTY-11.2-4 a kind that is not built says so when it is called", async () => {
    for (const kind of ["mcp", "openapi"]) {
      const { run } = invoking({ agent: { ...agent, tools: [{ ...lookup, kind }] }, scripts });
      const { toolResults } = await run.outcome;
      assert.match(toolResults[0]?.content ?? "", /lookup did not run\. .*cannot be used here/);
      assert.equal(toolResults[0]?.status, "failed");
    }
  });

  it("PROMPTY-11.2-5 two invocations share no registrations", async () => {
    const first = invoking({ agent, scripts, options: { kinds: { library: () => "first" } } });
    const second = invoking({ agent, scripts });
    assert.equal((await first.run.outcome).status, "completed");
    assert.equal((await errorOf(second.run)).code, "tool_invalid");
  });
});

const parent = (tool: string, more = ""): string => `---
name: parent
inputs: {document: {kind: string, default: D}}
${more}
tools:
  - name: ask
    kind: prompty
${tool.replaceAll(/^/gm, "    ")}
---
system:
Ask.
`;
const child = `---
name: child
description: Answers.
inputs:
  text: {kind: string, required: true}
  context: {kind: string, default: ""}
---
system:
Child of {{ context }}.

user:
{{ text }}
`;
const ask = (id: string, args: Params = { text: "T" }): Script => calls([id, "ask", args]);

describe("a prompt that is a tool", () => {
  it("PROMPTY-9.6-1 is found from where its parent's file is, and its own tools from where it is itself", () =>
    withPrompts(
      {
        "a/parent.prompty": parent("path: sub/child.prompty\nmode: agentic"),
        "a/sub/child.prompty": parent("path: ./leaf.prompty").replace("name: parent", "name: child"),
        "a/sub/leaf.prompty": child,
      },
      async (dir) => {
        const scripts = [ask("p", {}), ask("c"), says("leaf"), says("child"), says("done")];
        const { run, model } = invoking({ agent: path.join(dir, "a/parent.prompty"), scripts });
        assert.equal(await run.result, "done");
        assert.equal(model.requests.length, 5);
        assert.equal(model.requests[3]?.messages.at(-1)?.content, "leaf");
      },
    ));

  it("PROMPTY-9.6-2 PROMPTY-9.6-4 single: one request without tools, with the model's arguments and the parent's inputs", () =>
    withPrompts(
      { "p.prompty": parent("path: c.prompty\nbindings: {context: document}"), "c.prompty": child },
      async (dir) => {
        const scripts = [ask("p", { text: "T", context: "guess" }), says("S"), says("done")];
        const { run, model } = invoking({ agent: `${dir}/p.prompty`, scripts });
        assert.equal(await run.result, "done");
        const [, request, after] = model.requests;
        assert.equal(model.requests.length, 3);
        assert.equal(request?.system, "Child of D.");
        assert.deepEqual(
          request.messages.map(({ content }) => content),
          ["T"],
        );
        assert.deepEqual(request.tools, []);
        assert.equal(after?.messages.at(-1)?.content, "S");
      },
    ));

  it("PROMPTY-9.6-2 single: a child that calls all the same is not asked again", () =>
    withPrompts({ "p.prompty": parent("path: c.prompty"), "c.prompty": child }, async (dir) => {
      const model = scriptedModel(calls(["x", "anything", {}]), says("never"));
      const { run } = invoking({
        agent: `${dir}/p.prompty`,
        scripts: [ask("p"), says("done")],
        models: { child: model },
      });
      assert.equal(await run.result, "done");
      assert.equal(model.requests.length, 1);
      assert.match((await run.outcome).toolResults[0]?.content ?? "", /Tool not registered: anything/);
    }));

  it("PROMPTY-9.6-3 agentic: a loop of its own, with its own tools", () =>
    withPrompts(
      {
        "p.prompty": parent("path: c.prompty\nmode: agentic"),
        "c.prompty": child.replace("inputs:", "tools: [{name: count, kind: function}]\ninputs:"),
      },
      async (dir) => {
        const scripts = [ask("p"), calls(["k", "count", {}]), says("S42"), says("done")];
        const made = invoking({ agent: `${dir}/p.prompty`, tools: { count: () => 42 }, scripts });
        assert.equal(await made.run.result, "done");
        assert.equal(made.model.requests[2]?.messages.at(-1)?.content, "42");
        assert.deepEqual(
          ofType(made.events, "tool:start").map(({ toolCallId }) => toolCallId),
          ["p", "p/k"],
        );
      },
    ));

  it("PROMPTY-9.6-6 is told to the model by the child's inputs, and by its own description or the child's", () =>
    withPrompts(
      {
        "p.prompty": parent("path: c.prompty\nbindings: {context: document}"),
        "q.prompty": parent("path: c.prompty\ndescription: Mine."),
        "c.prompty": child,
      },
      async (dir) => {
        const text = { text: { type: "string" } };
        const both = { ...text, context: { type: "string" } };
        for (const [file, description, properties] of [
          ["p", "Answers.", text],
          ["q", "Mine.", both],
        ] as const) {
          const { run, model } = invoking({ agent: `${dir}/${file}.prompty`, scripts: [says("ok")] });
          await run.result;
          const parameters = { type: "object", properties, required: ["text"] };
          assert.deepEqual(model.requests[0]?.tools, [{ name: "ask", description, parameters }]);
        }
      },
    ));

  it("PROMPTY-9.6-7 a prompt that is its own tool, at any distance, is told so and not run", () =>
    withPrompts(
      {
        "p.prompty": parent("path: q.prompty\nmode: agentic"),
        "q.prompty": parent("path: p.prompty\nmode: agentic").replace("name: parent", "name: other"),
      },
      async (dir) => {
        const scripts = [ask("a", {}), ask("b", {}), says("I cannot."), says("done")];
        const { run, model } = invoking({ agent: `${dir}/p.prompty`, scripts });
        assert.equal(await run.result, "done");
        const told = model.requests[2]?.messages.at(-1)?.content;
        assert.equal(told, "ask did not run: it is at work already, and a prompt cannot be its own tool.");
      },
    ));

  it("PROMPTY-9.6-7 prompts are nested five deep at most", () => {
    const level = (n: number): [string, string] => [`p${n}.prompty`, parent(`path: p${n + 1}.prompty\nmode: agentic`)];
    const files = Object.fromEntries([...[0, 1, 2, 3, 4, 5].map(level), ["p6.prompty", child] as const]);
    return withPrompts(files, async (dir) => {
      const down = Array.from({ length: 5 }, (_, i) => ask(`c${i}`, {}));
      const scripts = [...down, ...Array.from({ length: 5 }, (_, i) => says(`up ${i}`))];
      const { run, model } = invoking({ agent: `${dir}/p0.prompty`, scripts });
      assert.equal(await run.result, "up 4");
      assert.match(model.requests[5]?.messages.at(-1)?.content ?? "", /nested 5 deep/);
    });
  });

  it("PROMPTY-9.6-7 its path leads neither out of the folder nor to another kind of file", () =>
    withPrompts(
      {
        "in/up.prompty": parent("path: ../secret.prompty"),
        "in/abs.prompty": parent("path: /etc/hosts"),
        "in/env.prompty": parent("path: .env"),
        "in/link.prompty": parent("path: linked.prompty"),
        "in/disguised.prompty": parent("path: disguised-env.prompty"),
        "in/gone.prompty": parent("path: gone-child.prompty"),
        "in/wrong.prompty": parent("path: bad.prompty"),
        "in/bad.prompty": "---\nname: [\n---\n",
        "in/.env": "KEY=1",
        "secret.prompty": child,
      },
      async (dir) => {
        await symlink(path.join(dir, "secret.prompty"), path.join(dir, "in/linked.prompty"));
        await symlink(path.join(dir, "in/.env"), path.join(dir, "in/disguised-env.prompty"));
        const expected = {
          up: /“\.\.\/secret\.prompty” is outside of the folder of the prompt/,
          abs: /must be that of a \.prompty file/,
          env: /must be that of a \.prompty file/,
          link: /“linked\.prompty” is outside of the folder/,
          disguised: /must be that of a \.prompty file/,
          gone: /there is no file “gone-child\.prompty”/,
          wrong: /bad\.prompty:3: /,
        };
        for (const [name, sentence] of Object.entries(expected)) {
          const { run, model } = invoking({ agent: `${dir}/in/${name}.prompty`, scripts: [says("never")] });
          assert.match((await errorOf(run)).message, sentence);
          assert.equal(model.requests.length, 0);
        }
        const library = { roots: [dir] };
        const allowed = invoking({
          agent: `${dir}/in/up.prompty`,
          library,
          scripts: [ask("a"), says("S"), says("ok")],
        });
        assert.equal(await allowed.run.result, "ok");
      },
    ));

  it("PROMPTY-9.6-8 ends with its parent", () =>
    withPrompts({ "p.prompty": parent("path: c.prompty"), "c.prompty": child }, async (dir) => {
      const signals: AbortSignal[] = [];
      const hanging: Script = async function* (_request, signal) {
        yield { type: "text", text: "half" };
        signals.push(signal);
        made.run.stop();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      };
      const made = invoking({ agent: `${dir}/p.prompty`, scripts: [ask("p"), hanging] });
      assert.equal((await errorOf(made.run)).code, "run_cancelled");
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [true],
      );
      assert.equal(made.model.requests.length, 2);
    }));

  it("its failure, and an input that is missing, are results that its parent's model reads", () =>
    withPrompts({ "p.prompty": parent("path: c.prompty\nparameters: []"), "c.prompty": child }, async (dir) => {
      const failure = { code: "provider_failed", status: 502, message: "Down.", next: "" } as const;
      const model = scriptedModel([{ type: "error", failure, retryable: false }]);
      const scripts = [calls(["a", "ask", {}], ["b", "ask", { text: "T" }]), says("done")];
      const { run } = invoking({ agent: `${dir}/p.prompty`, scripts, models: { child: model } });
      const { toolResults, result } = await run.outcome;
      assert.equal(result, "done");
      assert.match(toolResults[0]?.content ?? "", /arguments of ask are wrong[\s\S]*text/);
      assert.match(toolResults[1]?.content ?? "", /child did not finish\. Down\./);
    }));
});
