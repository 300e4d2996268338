// Tools whose results hold no secrets: masked before the model, the transcript or the log can have them.
import type { Preview } from "../protocol/calls.ts";
import type { CallContext, Prepared, Refusal, Tool, ToolResult } from "../engine/ports.ts";
import { maskData, maskedStream, maskIn, maskSecrets } from "../scope/secrets.ts";
import type { KnownSecrets } from "./knownSecrets.ts";
import { refused } from "./tool.ts";
import type { Unmasked } from "./unmasked.ts";

export interface Masking {
  /** Asked at every call. */
  readonly enabled: () => boolean;
  readonly known: Pick<KnownSecrets, "mask">;
  /** Gets a result as it was, when something was masked in it. */
  readonly keep: Unmasked["keep"];
}

/** The same tool, masked. */
export function withMaskedResults(tool: Tool, masking: Masking): Tool {
  return {
    ...tool,
    ...(tool.narrowed && { narrowed: (rules) => withMaskedResults(tool.narrowed?.(rules) ?? tool, masking) }),
    prepare: async (params, ...rest) => {
      if (!masking.enabled()) return tool.prepare(params, ...rest);
      const mask = tool.effect === "write" ? maskIn(JSON.stringify(params)) : undefined;
      if (mask !== undefined) return refused(wouldLose(mask));
      return masked(await orMasked(() => tool.prepare(params, ...rest), masking), masking);
    },
  };
}

/** Written back, the mask would take the place of the secret. */
function wouldLose(mask: string): string {
  return `“${mask}” stands for a secret that is in the file and not shown to you. Change the text around it: with edit_file neither the old nor the new text needs to contain it.`;
}

/** What a person reviews and what is written stays as it is: only what is told and kept is masked. */
function masked(ready: Prepared | Refusal, masking: Masking): Prepared | Refusal {
  const { mask } = masking.known;
  if (ready.kind === "refused") return { ...ready, content: mask(ready.content) };
  const { revised, preview } = ready;
  return {
    ...ready,
    ...(preview && { preview: maskedPreview(preview, mask) }),
    ...(revised && { revised: (texts) => masked(revised(texts), masking) }),
    run: async (context) => {
      const live = maskedStream(context.output);
      const output: CallContext["output"] = (chunk) => live.add(chunk);
      const enter: CallContext["enter"] = (prompt, signal) => context.enter(maskSecrets(prompt), signal);
      const work = (): Promise<ToolResult> => ready.run({ ...context, output, enter });
      const result = await orMasked(work, masking).finally(() => live.end());
      const told = maskedResult(result, mask);
      if (told.content !== result.content) masking.keep(context, result.content);
      return told;
    },
  };
}

/** @throws what the work throws, in words without secrets */
async function orMasked<T>(work: () => Promise<T>, { known }: Masking): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const told = known.mask(message);
    throw told === message ? error : new Error(told);
  }
}

/** A command and a request are the model's own words, and rules are held against them. */
function maskedPreview(preview: Preview, mask: (text: string) => string): Preview {
  switch (preview.kind) {
    case "diff":
      return { ...preview, patch: mask(preview.patch) };
    case "diffs":
      return { ...preview, files: preview.files.map((file) => ({ ...file, patch: mask(file.patch) })) };
    case "text":
      return { ...preview, text: mask(preview.text) };
    case "todos":
      return { ...preview, todos: preview.todos.map((todo) => ({ ...todo, text: mask(todo.text) })) };
    case "command":
    case "request":
    case "host":
      return preview;
  }
}

function maskedResult(result: ToolResult, mask: (text: string) => string): ToolResult {
  const { content, value, message } = result;
  return {
    ...result,
    content: mask(content),
    ...(value !== undefined && { value: maskData(value, mask) }),
    ...(message && { message: { ...message, data: maskData(message.data, mask) } }),
  };
}
