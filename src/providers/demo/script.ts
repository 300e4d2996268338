// Which of its few things the demo does, by the person's words. Pure: the same messages give the same reply.
import { readTurn, type DemoReply, type DemoRequest, type Turn } from "./conversation.ts";
import { fixTest } from "./fixTest.ts";
import { nothingToStore, sumUp } from "./housekeeping.ts";
import { introduce } from "./introduction.ts";
import { remember } from "./remember.ts";
import { offerTests } from "./replies.ts";
import { runTests } from "./runTests.ts";
import { showAround } from "./showAround.ts";
import { combine } from "./together.ts";

/** Works out the next reply from the messages alone. Only tools that the request offers are called. */
export function demoReply(request: DemoRequest): DemoReply {
  const turn = readTurn(request);
  return topicOf(turn)(turn);
}

const topics: readonly { readonly words: RegExp; readonly reply: (turn: Turn) => DemoReply }[] = [
  { words: /\breply with NO_REPLY\b/i, reply: nothingToStore },
  { words: /^# (The conversation|Summary so far)\n/, reply: sumUp },
  { words: /\bremember\b/i, reply: remember },
  { words: /\b(combine|merge|together)\b/i, reply: combine },
  { words: /\b(around|tour|overview)\b/i, reply: showAround },
  { words: /\b(run|start|execute)\b(?!.*\b(fix|repair)\b).*\btests?\b/is, reply: runTests },
  { words: /\b(tests?|bugs?|fix|cart|voucher|discount|price)\b/i, reply: fixTest },
];

function topicOf({ task, earlier }: Turn): (turn: Turn) => DemoReply {
  const topic = topics.find(({ words }) => words.test(task));
  if (topic) return topic.reply;
  const agreed = /^\s*(yes|yeah|ok|okay|sure|please|do it|go on|go ahead)\b/i.test(task);
  return agreed && earlier.includes(offerTests) ? runTests : introduce;
}
