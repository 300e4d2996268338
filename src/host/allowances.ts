// What a person has answered about endpoints: each file and origin is asked about once, as long as the file reads the same variables, however many runs want it at the same time.
import type { EndpointQuestion } from "../composeEndpoint.ts";

export interface EndpointAnswer {
  readonly allowed: boolean;
  /** For this origin. */
  readonly key?: string;
}

interface AllowanceOptions {
  readonly ask: (question: EndpointQuestion) => Promise<EndpointAnswer>;
  readonly keepKey: (origin: string, key: string) => Promise<void>;
}

/** A refusal counts for the run that asked; the next one asks again. */
export function createAllowances({ ask, keepKey }: AllowanceOptions): (question: EndpointQuestion) => Promise<boolean> {
  const answers = new Map<string, Promise<boolean>>();
  const decide = async (question: EndpointQuestion): Promise<boolean> => {
    const { allowed, key } = await ask(question);
    if (key !== undefined) await keepKey(question.origin, key);
    return allowed;
  };
  return async (question) => {
    const place = JSON.stringify([question.origin, question.file, question.variables, question.tool]);
    const waiting = answers.get(place) ?? decide(question);
    answers.set(place, waiting);
    try {
      const allowed = await waiting;
      if (!allowed) answers.delete(place);
      return allowed;
    } catch (error) {
      answers.delete(place);
      throw error;
    }
  };
}
