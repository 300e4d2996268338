// The shapes of the demo's replies: words that end a turn, and calls that go on with it.
import type { DemoCall, DemoReply } from "./conversation.ts";

export const howToGetReal =
  "For a real model choose a provider in the settings (`brain.provider`), then run “Brain: Select Model”.";

/** Said when tests could be run next; a “yes” to it counts. */
export const offerTests = "Shall I run the tests? Say yes, or send **Run the tests**.";

/** The last words of a turn; they always say that nobody thought here. */
export function answer(...paragraphs: readonly string[]): DemoReply {
  const said = paragraphs.filter((paragraph) => paragraph !== "");
  return { text: [...said, "*Scripted demo: no AI wrote this.*"].join("\n\n"), calls: [] };
}

/** Words, and the calls that follow them. */
export function go(text: string, ...calls: readonly DemoCall[]): DemoReply {
  return { text, calls };
}

/** The call that runs the tests. */
export function testCall(why: string): DemoCall {
  return { name: "run_command", params: { command: "node --test", _reasoningForCall: why } };
}
