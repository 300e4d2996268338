// What the demo says to everything that it has no script for: what it is, and what to try.
import type { DemoReply } from "./conversation.ts";
import { answer, howToGetReal } from "./replies.ts";

/** The things to try, as a person types them. */
const thingsToTry = `- **Fix the failing test**: reads three files, edits one, runs the tests
- **Combine two files**: four calls in one reply that use each other’s results
- **Show me around**: lists the files and looks through the code
- **Run the tests**: runs \`node --test\` once you allow it
- **Remember that we use node --test**: keeps a note in \`.brain/MEMORY.md\``;

export function introduce(): DemoReply {
  return answer(
    "I am **Brain’s demo**: a script inside the extension, not an AI. I answer a few messages about the example workspace. The tools, the files and your decisions are real: what I propose happens only if you allow it.",
    `Try one of these:\n\n${thingsToTry}`,
    howToGetReal,
  );
}
