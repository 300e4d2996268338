// The keys of front matter with what each is for: what an editor offers while one is written.
import * as z from "zod";
import { AgentFrontMatter } from "../protocol/agents.ts";
import { ReplyOptions } from "../protocol/replyOptions.ts";

/** A value or a group of a file, as JSON Schema has it. */
export type KeySchema = z.core.JSONSchema.BaseSchema;

const kinds = ["string", "integer", "float", "boolean", "array", "object", "thread", "image", "file", "audio"] as const;

const property = z.object({
  name: z.string().describe("What the template calls it."),
  kind: z.enum(kinds).describe("Without it: that of the default, else text."),
  description: z.string().describe("What it is, for people and for models that give it."),
  default: z.unknown().describe("Its value where none is given."),
  required: z.boolean().describe("Without a value nothing runs."),
  strict: z.boolean().describe("Its text may not look as if it began a message of its own."),
  enumValues: z.array(z.unknown()).describe("The only values that it may have."),
});
const properties = z.union([z.array(property), z.record(z.string(), property)]);

const tool = z.object({
  name: z.string().describe("What the model calls it."),
  kind: z
    .enum(["function", "prompty", "mcp", "openapi"])
    .describe("Who does its work: a function by its name, another prompt, a server."),
  description: z.string().describe("When to use it, for the model."),
  parameters: properties.describe("What the model gives: a list, a group by name, or a JSON Schema."),
  bindings: z
    .record(z.string(), z.object({ input: z.string().describe("The input whose value it gets.") }))
    .describe("Parameters that get the value of an input; the model neither sees nor gives them."),
  path: z.string().describe("Of a prompt: its file, from this one."),
  mode: z
    .enum(["single", "agentic"])
    .describe("Of a prompt: `single`, one request without tools, or `agentic`, a run of its own."),
  specification: z
    .string()
    .describe("Of openapi: its OpenAPI 3 document, a file from this one or an address with https."),
  operations: z.array(z.string()).describe("Of openapi: names of the operations that it has; without it, all."),
  connection: z
    .object({
      kind: z.enum(["key", "anonymous"]).describe("`key`: its server gets the key that you have set for its address."),
      endpoint: z.string().describe("Address of its server; without it, as the document says."),
      apiKey: z.string().describe("As `${env:NAME}`; in the editor you are asked for the key."),
    })
    .describe("Of openapi: where its requests go."),
  serverName: z
    .string()
    .describe(
      "Of mcp: the server, as the setting `brain.mcpServers` or `.brain/mcp.json` calls it; else the tool's name.",
    ),
  allowedTools: z.array(z.string()).describe("Of mcp: those of the server's tools that it may use; without it, all."),
  approvalMode: z
    .object({
      kind: z.enum(["always", "never", "specify"]),
      alwaysRequireApprovalTools: z.array(z.string()).describe("Of `specify`: the tools that are asked about."),
    })
    .describe("Of mcp: what is asked about, whatever your rules allow. It never allows more than they do."),
});

const prompty = z.object({
  name: z.string().describe("What it is called; without it, as its file."),
  displayName: z.string().describe("What it is called in the agent picker."),
  description: z.string().describe("What it is for, in one sentence."),
  metadata: z
    .object({ authors: z.array(z.string()), tags: z.array(z.string()), version: z.string() })
    .describe("Notes for people."),
  model: z
    .object({
      id: z.string().describe("Model name at the endpoint; absent: the one from the settings."),
      provider: z.string().describe("Whose interface the endpoint has, such as `openai` or `anthropic`."),
      apiType: z.enum(["chat", "responses"]).describe("Which interface of the endpoint."),
      connection: z
        .object({
          kind: z.enum(["key", "reference", "anonymous"]),
          endpoint: z.string().describe("Its address. You are asked before anything is sent there."),
          apiKey: z.string().describe("As `${env:NAME}`; in the editor keys come from “Brain: Set API Key”."),
        })
        .describe("Where the model is."),
      options: ReplyOptions.describe("How it answers, such as `temperature`."),
    })
    .describe("The model it asks for: a name, or a group."),
  inputs: properties.describe("What the template is filled in with: a list, or a group by name."),
  outputs: properties.describe("The members of the answer, where it is to be JSON."),
  tools: z
    .union([z.array(tool), z.record(z.string(), tool)])
    .describe("All that it may use: a list, or a group by name."),
  template: z
    .object({ format: z.enum(["jinja2", "mustache"]), parser: z.enum(["prompty"]) })
    .describe("How the text below is written: `jinja2`, unless it says `mustache`."),
});

export type AgentFile = "agent" | "prompty";

/** The front matter of such a file as a whole. */
export function keysOf(file: AgentFile): KeySchema {
  const schema = file === "agent" ? AgentFrontMatter : prompty;
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });
}
