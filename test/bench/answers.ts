// Answers of about 200,000 tokens, each in another form: as answers are, and as one block that never ends.
import * as story from "../panel/stories.ts";

const size = 800_000;

function made(line: (n: number) => string, before = ""): string {
  let text = before;
  for (let n = 0; text.length < size; n += 1) text += line(n);
  return text.slice(0, size);
}

const code = (n: number): string =>
  `export function f${n}(a: number, b: string): string { return \`\${a} and \${b}\`; } // line ${n}\n`;
const fence = "```";

export const longAnswers: Readonly<Record<string, string>> = {
  answer: made(() => story.answer),
  mixed: made(
    (n) =>
      `${story.answer}\n\n${fence}ts\n${Array.from({ length: (n % 5) * 50 }, (_, at) => code(at)).join("")}${fence}\n\n${"word ".repeat(200)}\n\n`,
  ),
  paragraph: made(() => "Some words of `code` and **bold** text in one line. "),
  code: made(code, `${fence}ts\n`),
  table: made(
    (n) => `| row ${n} | \`code\` and **bold** | ${n} |\n`,
    "| name | what | number |\n| --- | --- | ---: |\n",
  ),
  list: made((n) => `- point ${n} with \`code\` and **bold** text\n`),
};
