// “Remember that …”: one note for MEMORY.md.
import type { DemoReply, Turn } from "./conversation.ts";
import { firstLine, notRun } from "./outcome.ts";
import { answer, go } from "./replies.ts";

export function remember({ task, made, tools }: Turn): DemoReply {
  const kept = made.findLast(({ name }) => name === "update_memory");
  if (kept) {
    const failed = notRun(kept.outcome);
    if (failed !== "") return answer(`The note ${failed}. Nothing was kept.`);
    return answer(
      `> ${firstLine(kept.outcome.text)}`,
      "“Brain: Open Memory” shows all notes; every later run reads them.",
    );
  }
  const note = noteIn(task);
  if (note === "") return answer("What should I remember? For example: **Remember that we use node --test**.");
  if (!tools.has("update_memory")) return answer("I may not write notes in this chat, so nothing was kept.");
  return go("I keep that as a note.", {
    name: "update_memory",
    params: { note, _reasoningForCall: "you asked me to remember it" },
  });
}

function noteIn(task: string): string {
  const [, note = ""] = /\bremember\b[\s:,]*(?:that\b)?[\s:,]*(.*)/is.exec(task) ?? [];
  const text = note.replaceAll(/\s+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}
