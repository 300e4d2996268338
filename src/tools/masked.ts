// Tools whose results hold no secrets: masked before the model, the transcript or the log can have them.
import type { CallContext, Prepared, Refusal, Tool, ToolResult } from "../engine/ports.ts";
import { maskData, maskedStream, maskIn, maskSecrets } from "../scope/secrets.ts";
import { refused } from "./tool.ts";

/**
 * The same tool, masked.
 * @param enabled asked at every call
 */
export function withMaskedResults(tool: Tool, enabled: () => boolean): Tool {
  return {
    ...tool,
    ...(tool.narrowed && { narrowed: (rules) => withMaskedResults(tool.narrowed?.(rules) ?? tool, enabled) }),
    prepare: async (params, ...rest) => {
      if (!enabled()) return tool.prepare(params, ...rest);
      const mask = tool.effect === "write" ? maskIn(JSON.stringify(params)) : undefined;
      if (mask !== undefined) return refused(wouldLose(mask));
      return masked(await tool.prepare(params, ...rest));
    },
  };
}

/** Written back, the mask would take the place of the secret. */
function wouldLose(mask: string): string {
  return `“${mask}” stands for a secret that is in the file and not shown to you. Change the text around it: with edit_file neither the old nor the new text needs to contain it.`;
}

function masked(ready: Prepared | Refusal): Prepared | Refusal {
  if (ready.kind === "refused") return { ...ready, content: maskSecrets(ready.content) };
  const { revised } = ready;
  return {
    ...ready,
    ...(revised && { revised: (texts) => masked(revised(texts)) }),
    run: async (context) => {
      const live = maskedStream(context.output);
      const output: CallContext["output"] = (chunk) => live.add(chunk);
      const result = await ready.run({ ...context, output }).finally(() => live.end());
      return maskedResult(result);
    },
  };
}

function maskedResult(result: ToolResult): ToolResult {
  const { content, value, message } = result;
  return {
    ...result,
    content: maskSecrets(content),
    ...(value !== undefined && { value: maskData(value) }),
    ...(message && { message: { ...message, data: maskData(message.data) } }),
  };
}
