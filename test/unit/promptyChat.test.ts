// A .prompty with tools of its own as the agent of a workspace: what it may use, its prompts as cards, and where it is answered from.
import assert from "node:assert/strict";
import { createBrain, type BrainOptions, type LoopEvent, type Outcome } from "../../src/headless.ts";
import { LoopEvent as Told } from "../../src/protocol/events.ts";
import { emptyView, reduce } from "../../src/protocol/view.ts";
import { chatReply } from "../support/chatWire.ts";
import { withPrompts } from "../support/invoking.ts";
import { startSse, type Script, type SseServer } from "../support/sse.ts";

const lead = `---
name: lead
inputs: {house: plain}
tools:
  - {name: read_file, kind: function}
  - {name: review, kind: prompty, path: ./review.prompty, mode: agentic, bindings: {style: {input: house}}}
---
You lead.
`;
const review = `---
name: review
description: Reviews a text.
inputs: {text: {kind: string, required: true}, style: {kind: string, required: true}}
tools: [{name: read_file}]
---
system:
You review in the {{ style }} style.

user:
{{ text }}
`;

interface Ran {
  readonly outcome: Outcome;
  readonly events: readonly LoopEvent[];
  readonly server: SseServer;
}

interface Setup {
  readonly more?: () => Partial<BrainOptions>;
  readonly agent?: string;
}

async function running(
  files: Readonly<Record<string, string>>,
  scripts: readonly Script[],
  check: (ran: Ran) => void | Promise<void>,
  { more = () => ({}), agent = "lead" }: Setup = {},
): Promise<void> {
  const server = await startSse(...scripts);
  try {
    await withPrompts(files, async (workspace) => {
      const about = { provider: "openai-chat", baseUrl: server.baseUrl, model: "m" } as const;
      const brain = createBrain({ workspace, ...about, ...more() });
      const events: LoopEvent[] = [];
      try {
        const run = brain.run({ message: "Go.", agent });
        for await (const event of run) events.push(event);
        await check({ outcome: await run.result, events, server });
      } finally {
        await brain.dispose();
      }
    });
  } finally {
    await server.close();
  }
}

const toolsOf = ({ body }: { readonly body: string }): string[] =>
  (JSON.parse(body).tools ?? []).map((tool: { function: { name: string } }) => tool.function.name);

describe("a .prompty with tools of its own, in the chat", () => {
  const files = { ".brain/agents/lead.prompty": lead, ".brain/agents/review.prompty": review, "a.txt": "words" };

  it("is offered what it declares and nothing else; its prompts work as calls of their own, inside its run", () =>
    running(
      files,
      [
        chatReply(1, { calls: [["review", { text: "T", style: "guess" }]] }),
        chatReply(2, { calls: [["read_file", { path: "a.txt" }]] }),
        chatReply(3, { text: "Reviewed." }),
        chatReply(4, { text: "Done." }),
      ],
      ({ outcome, events, server: { asked } }) => {
        assert.equal(outcome.output, "Done.");
        assert.deepEqual(asked.map(toolsOf), [
          ["read_file", "review"],
          ["read_file"],
          ["read_file"],
          ["read_file", "review"],
        ]);
        const [system, user] = JSON.parse(asked[1]?.body ?? "").messages;
        assert.equal(system.content, "You review in the plain style.");
        assert.equal(user.content, "T");
        assert.match(asked[2]?.body ?? "", /words/);
        const view = events.reduce((before, event) => reduce(before, Told.parse(event)), emptyView);
        const cards = JSON.stringify(view);
        assert.match(cards, /"verb":"Delegate","subject":"review"/);
        assert.match(cards, /call_1_0\/call_2_0/);
      },
    ));

  it("as a delegate has of its tools those that its caller has too", () =>
    running(
      {
        ...files,
        ".brain/agents/lead.prompty": lead.replace("name: review,", "name: review, description: R,"),
        ".brain/agents/boss/AGENT.md":
          "---\nid: boss\nname: boss\ntools: [run_agent, list_files, read_file]\n---\nYou lead.",
      },
      [
        chatReply(1, { calls: [["run_agent", { agent: "lead", task: "Read." }]] }),
        chatReply(2, { text: "Read." }),
        chatReply(3, { text: "Done." }),
      ],
      ({ outcome, server: { asked } }) => {
        assert.equal(outcome.output, "Done.");
        assert.deepEqual(asked.map(toolsOf)[1], ["read_file"]);
      },
      { agent: "boss" },
    ));

  it("with a function that Brain does not have does not begin", () =>
    running(
      { ...files, ".brain/agents/lead.prompty": lead.replace("name: read_file", "name: get_weather") },
      [],
      ({ outcome, server }) => {
        assert.equal(outcome.failure?.message, "No handler registered for tool: get_weather (kind: function).");
        assert.equal(server.asked.length, 0);
      },
    ));

  it("that names an endpoint is not answered from there unless it was allowed, and then with that endpoint's key alone", async () => {
    const other = await startSse(chatReply(1, { text: "From elsewhere." }));
    try {
      const origin = new URL(other.baseUrl).origin;
      const prompt = `---\nmodel: {id: m, connection: {endpoint: "${other.baseUrl}", apiKey: own-key}}\n---\nx`;
      const agent = { ".brain/agents/lead.prompty": prompt };
      await running(
        agent,
        [],
        ({ outcome, server }) => {
          assert.equal(outcome.failure?.code, "endpoint_refused");
          assert.match(outcome.failure.message, /^lead\.prompty asks to be answered by http:/);
          assert.equal(server.asked.length + other.asked.length, 0);
        },
        { more: () => ({ apiKey: "person-key" }) },
      );
      await running(
        agent,
        [],
        ({ outcome }) => {
          assert.equal(outcome.output, "From elsewhere.");
          assert.equal(other.asked[0]?.headers.authorization, "Bearer allowed-key");
          assert.doesNotMatch(JSON.stringify(other.asked), /person-key|own-key/);
        },
        { more: () => ({ apiKey: "person-key", endpoints: { [origin]: "allowed-key" } }) },
      );
    } finally {
      await other.close();
    }
  });
});
