// The kinds of endpoints that a person can choose from, with what is known of each before anybody has asked it.
import type { ProviderName } from "../protocol/config.ts";
import { isAtHome } from "./atHome.ts";

export interface Preset {
  readonly label: string;
  /** What it takes, in a few words. */
  readonly needs: string;
  readonly provider: Exclude<ProviderName, "demo">;
  /** `""`: it has none. */
  readonly baseUrl: string;
  /** The person confirms or changes the address. */
  readonly asksAddress: boolean;
  /** `maybe`: only where the server says so. */
  readonly key: "needed" | "maybe" | "none";
  /** Where a key is made. */
  readonly keyPage?: string;
  /** What a model is called there, where that is not its own name. */
  readonly modelWord?: string;
}

export const presets: readonly Preset[] = [
  {
    label: "OpenAI",
    needs: "A key from platform.openai.com/api-keys",
    provider: "openai-responses",
    baseUrl: "https://api.openai.com/v1",
    asksAddress: false,
    key: "needed",
    keyPage: "platform.openai.com/api-keys",
  },
  {
    label: "Anthropic",
    needs: "A key from platform.claude.com/settings/keys",
    provider: "anthropic",
    baseUrl: "https://api.anthropic.com",
    asksAddress: false,
    key: "needed",
    keyPage: "platform.claude.com/settings/keys",
  },
  {
    label: "GitHub Copilot, by VS Code",
    needs: "No key: the models that VS Code has",
    provider: "vscode",
    baseUrl: "",
    asksAddress: false,
    key: "none",
  },
  local("Ollama", 11434),
  local("LM Studio", 1234),
  local("llama.cpp", 8080),
  local("vLLM", 8000),
  keyed("OpenRouter", "https://openrouter.ai/api/v1", "openrouter.ai/settings/keys"),
  keyed("Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "aistudio.google.com/apikey"),
  keyed("Mistral", "https://api.mistral.ai/v1", "console.mistral.ai/api-keys"),
  keyed("DeepSeek", "https://api.deepseek.com/v1", "platform.deepseek.com/api_keys"),
  keyed("xAI", "https://api.x.ai/v1", "console.x.ai"),
  keyed("Groq", "https://api.groq.com/openai/v1", "console.groq.com/keys"),
  {
    label: "Azure OpenAI",
    needs: "Your resource’s address, a key, a deployment",
    provider: "openai-chat",
    baseUrl: "https://YOUR-RESOURCE.openai.azure.com/openai/v1",
    asksAddress: true,
    key: "needed",
    modelWord: "deployment",
  },
  {
    label: "Another address",
    needs: "Any server that speaks OpenAI Chat Completions",
    provider: "openai-chat",
    baseUrl: "https://",
    asksAddress: true,
    key: "maybe",
  },
];

function keyed(label: string, baseUrl: string, keyPage: string): Preset {
  const needs = `A key from ${keyPage}`;
  return { label, needs, provider: "openai-chat", baseUrl, asksAddress: false, key: "needed", keyPage };
}

function local(label: string, port: number): Preset {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return {
    label,
    needs: `Your own server, usually ${baseUrl}`,
    provider: "openai-chat",
    baseUrl,
    asksAddress: true,
    key: "maybe",
  };
}

/**
 * An address as a person types or pastes it, made into one that requests can be sent to: without the path of a single
 * request. A bare host is asked over https, lest a key go over the network in clear; one at home, which rarely has it, over http.
 * @returns null when it is none
 */
export function cleanAddress(typed: string): string | null {
  const text = typed.trim();
  const url = addressIn(text);
  const isWeb =
    url && /^https?:$/.test(url.protocol) && url.hostname !== "" && !url.hostname.startsWith("your-resource");
  if (!isWeb || url.username !== "" || url.password !== "" || /\s/.test(text)) return null;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/(chat\/completions|responses|messages|models)$/, "");
  return url.origin + (isAzure(url) && !path.endsWith("/v1") ? "/openai/v1" : path);
}

function addressIn(text: string): URL | null {
  if (/^[a-z]+:\/\//i.test(text)) return URL.parse(text);
  const plain = URL.parse(`http://${text}`);
  return plain && !isAtHome(plain.hostname) ? URL.parse(`https://${text}`) : plain;
}

/** Hosts of resources that have deployments in place of models. */
export const azureHost = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/;

/** Its resources have deployments each at an address of its own, too; all of them are below this one. */
function isAzure({ hostname, pathname }: URL): boolean {
  return azureHost.test(hostname) && /^\/(openai\b|$)/.test(pathname);
}
