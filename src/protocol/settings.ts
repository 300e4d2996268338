// The settings, one table: package.json is checked against it, and what the host reads is typed by it.
import { earlyStarts, loopDefaults, planModes, providerNames, toolCallings, type ProviderName } from "./config.ts";
import { commandSettings } from "./commandSettings.ts";
import { mcpSettings } from "./mcp.ts";
import { efforts } from "./replyOptions.ts";
import { tracingSettings } from "./tracing.ts";

interface SettingKind {
  readonly type: "string" | "number" | "boolean" | "array" | "object";
  readonly default: string | number | boolean | readonly unknown[] | Readonly<Record<string, never>>;
  /** Of an array: the JSON Schema of its members. */
  readonly items?: Readonly<Record<string, unknown>>;
  /** Of an object: the JSON Schema of its members. */
  readonly additionalProperties?: Readonly<Record<string, unknown>>;
  readonly enum?: readonly string[];
  readonly enumDescriptions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly scope: "machine" | "machine-overridable" | "resource" | "window";
  readonly markdownDescription: string;
}

/** The settings, without their `brain.` prefix. A test holds package.json to this table. */
export const settings = {
  provider: {
    type: "string",
    default: "demo",
    enum: providerNames,
    enumDescriptions: [
      "A scripted model inside Brain: needs no key, no network and no account, and shows the whole product on the example workspace.",
      "OpenAI Chat Completions, or any server that speaks it: set the address and the model below.",
      "OpenAI Responses, or any server that speaks it.",
      "Anthropic Messages, or any server that speaks it.",
      "A model of VS Code itself, such as GitHub Copilot's: needs no key and no address; VS Code asks you once.",
    ],
    scope: "machine",
    markdownDescription: "Where the model is.",
  },
  baseUrl: {
    type: "string",
    default: "https://api.openai.com/v1",
    scope: "machine",
    markdownDescription:
      "Address of the endpoint, for example `http://127.0.0.1:11434/v1`. With the provider `anthropic` the default stands for Anthropic’s own. Only user settings count: a folder cannot choose where your messages go.",
  },
  model: {
    type: "string",
    default: "",
    scope: "machine",
    markdownDescription:
      "Name of the model, as its endpoint knows it. “Brain: Select Model” lists what the endpoint offers.",
  },
  toolCalling: {
    type: "string",
    default: "auto",
    enum: toolCallings,
    enumDescriptions: [
      "By its endpoint's own form where that knows tools, else from its text.",
      "The model calls tools by its endpoint's own form.",
      "Tools are explained in words and calls are read from the model's text: for local models that know no tools.",
    ],
    scope: "machine",
    markdownDescription: "How the model calls tools.",
  },
  effort: {
    type: "string",
    default: "default",
    enum: efforts,
    enumDescriptions: [
      "As the model does by itself.",
      "Without thinking first, where the model can do without.",
      "Little thinking.",
      "Some thinking.",
      "Much thinking.",
      "As much thinking as the model can.",
    ],
    scope: "machine",
    markdownDescription:
      "How hard the model thinks before it answers. An agent's `options.effort` counts before this. Models that do not think may refuse it.",
  },
  contextWindow: {
    type: "number",
    default: 0,
    minimum: 0,
    maximum: 10_000_000,
    scope: "machine",
    markdownDescription:
      "How many tokens the model can read at once. 0: as many as its endpoint says when you pick it, or as its maker says; 128,000 where neither is known.",
  },
  maxToolIterations: {
    type: "number",
    default: 25,
    minimum: 1,
    maximum: 500,
    scope: "resource",
    markdownDescription: "After this many rounds of calls Brain sums up and asks whether to go on.",
  },
  earlyStart: {
    type: "string",
    default: loopDefaults.earlyStart,
    enum: earlyStarts,
    enumDescriptions: [
      "Every call starts, or asks you, as soon as it is complete.",
      "Only calls that read start early.",
      "No call starts before the reply has ended.",
    ],
    scope: "resource",
    markdownDescription: "Which calls may start while the model is still writing its reply.",
  },
  plan: {
    type: "string",
    default: loopDefaults.plan,
    enum: planModes,
    enumDescriptions: [
      "Calls start as they come; you are asked about each that changes something.",
      "The calls of a reply are shown as a plan first: none starts before you approve it. Replies that only read need no plan.",
    ],
    scope: "resource",
    markdownDescription: "Whether you approve the plan before the calls.",
  },
  dataFlow: {
    type: "boolean",
    default: loopDefaults.dataFlow,
    scope: "resource",
    markdownDescription:
      "Tell the model how calls of one reply use each other's results, so that more is done without another round. Costs about 250 tokens a request.",
  },
  maxRunMinutes: {
    type: "number",
    default: loopDefaults.executionTimeout / 60_000,
    minimum: 1,
    maximum: 1_440,
    scope: "resource",
    markdownDescription: "Minutes of work after which a run pauses and asks. Waiting for you does not count.",
  },
  maxRunTokens: {
    type: "number",
    default: loopDefaults.maxRunTokens,
    minimum: 0,
    maximum: 1_000_000_000,
    scope: "resource",
    markdownDescription: "Tokens, in and out together, after which a run pauses and asks; 0 is no limit.",
  },
  maxRunCost: {
    type: "number",
    default: loopDefaults.maxRunCost,
    minimum: 0,
    maximum: 10_000,
    scope: "resource",
    markdownDescription:
      "US dollars after which a run pauses and asks; 0 is no limit. Counts where the endpoint says what it charges, or the model's price is known or set below.",
  },
  inputPrice: {
    type: "number",
    default: 0,
    minimum: 0,
    maximum: 10_000,
    scope: "machine",
    markdownDescription:
      "What the model's endpoint charges for a million tokens that it reads, in US dollars; 0 in both prices: as far as it is known.",
  },
  outputPrice: {
    type: "number",
    default: 0,
    minimum: 0,
    maximum: 10_000,
    scope: "machine",
    markdownDescription: "What the model's endpoint charges for a million tokens that it writes, in US dollars.",
  },
  keysFromEnvironment: {
    type: "boolean",
    default: false,
    scope: "machine",
    markdownDescription:
      "Use `OPENAI_API_KEY` for api.openai.com, and `ANTHROPIC_API_KEY` for api.anthropic.com, where no key was set with “Brain: Set API Key”. Other endpoints never get them.",
  },
  rules: {
    type: "array",
    default: [],
    items: {
      type: "object",
      required: ["decision"],
      additionalProperties: false,
      properties: {
        decision: { type: "string", enum: ["allow", "ask", "deny"] },
        tool: {
          type: "string",
          description: "Name of a tool, or mcp__github__* for all of an MCP server; without it, all of them.",
        },
        path: { type: "string", description: "Files, such as src/**; a name without / is looked for in every folder." },
        command: {
          type: "string",
          description:
            "A program and its arguments, such as npm run *; a * at the end stands for any further arguments.",
        },
        host: {
          type: "string",
          description:
            "What commands in the sandbox may reach, such as registry.example.org or *.example.org; a port may follow, such as :443.",
        },
      },
    },
    scope: "machine",
    markdownDescription:
      'What runs without asking, asks, or never runs, such as `{ "decision": "allow", "command": "npm test" }`. The most specific rule counts; of equals, deny before ask before allow. A command line is allowed only if each of its parts is. Only user settings count: a folder cannot allow its own commands.',
  },
  notify: {
    type: "boolean",
    default: true,
    scope: "window",
    markdownDescription:
      "Show one notification when something waits for you while another window is in front: the system's, where Brain runs on this machine, else VS Code's.",
  },
  ...mcpSettings,
  ...commandSettings,
  agentFolders: {
    type: "array",
    default: [],
    items: { type: "string" },
    scope: "machine",
    markdownDescription:
      "Folders with agents of your own, for every workspace: absolute paths, or paths that begin with `~/`. Of agents with one name, that of `.brain/agents` counts first, then that of `.github/agents`, then yours, then the built-in one.",
  },
  deniedPaths: {
    type: "array",
    default: [],
    items: { type: "string" },
    scope: "resource",
    markdownDescription:
      "Files and folders that Brain may neither read nor write, in the form of `.gitignore`, beside those it never touches. What user, workspace and folder settings name is denied together: none takes back what another denies.",
  },
  maskSecrets: {
    type: "boolean",
    default: true,
    scope: "machine",
    markdownDescription:
      "Replace keys, tokens, passwords in addresses and private keys in the results of tools by what they are, such as `[masked: GitHub token]`, before the model reads them and before they are written down. The files stay as they are.",
  },
  ...tracingSettings,
  undoMaxSize: {
    type: "number",
    default: 1_000,
    minimum: 0,
    maximum: 1_000_000,
    scope: "resource",
    markdownDescription:
      "Megabytes that copies of your files may take, so that what calls change can be undone: for each session, and once for the folder. The oldest go first; 0 keeps none.",
  },
} as const satisfies Record<string, SettingKind>;

export type SettingName = keyof typeof settings;
export type Settings = { readonly [K in SettingName]: Widen<(typeof settings)[K]["default"]> };
type Widen<T> = T extends readonly unknown[]
  ? readonly unknown[]
  : T extends Readonly<Record<string, never>>
    ? Readonly<Record<string, unknown>>
    : T extends string
      ? string
      : T extends number
        ? number
        : boolean;

/** Where requests go: the address that is set, or the provider's own. */
export function addressOf(provider: ProviderName, baseUrl: string): string {
  const given = baseUrl.trim();
  return provider === "anthropic" && given === settings.baseUrl.default ? "https://api.anthropic.com" : given;
}
