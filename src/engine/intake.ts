// INTAKE: validate the message, resolve the agent, open the session with its lock. What fails here leaves nothing behind.
import type { AgentDefinition } from "../protocol/agents.ts";
import { maxMessageLength } from "../protocol/config.ts";
import { LoopError } from "../protocol/errors.ts";
import type { Ports, SessionHandle } from "./ports.ts";

export interface IntakeInput {
  readonly runId: string;
  /** Null: nothing is said, the session itself is worked on. */
  readonly message: string | null;
  readonly sessionId: string;
  /** Whether a session of this id may be made. */
  readonly create: boolean;
  readonly agentPath: string | undefined;
}

export interface IntakeOutput {
  readonly agentDef: AgentDefinition;
  readonly session: SessionHandle;
}

/**
 * The stage of the specification. The order matters: nothing is locked or written for a message or an agent that cannot run.
 * Throws LoopError: message_empty, message_too_long, agent_not_found, agent_invalid, session_*, disk_write.
 */
export async function intake(input: IntakeInput, ports: Ports): Promise<IntakeOutput> {
  if (input.message !== null) validateMessage(input.message);
  const agentDef = await ports.agents.resolve(input.agentPath);
  if (agentDef.terminated === true)
    throw new LoopError("session_terminated", `The agent ${agentDef.name} is marked as terminated in its AGENT.md.`);
  const session = await ports.sessions.open(input.sessionId, { create: input.create, runId: input.runId });
  return { agentDef, session };
}

/** Throws LoopError `message_empty` or `message_too_long`. */
export function validateMessage(message: string): void {
  if (message.trim() === "") throw new LoopError("message_empty", "The message is empty.");
  if (message.length > maxMessageLength) {
    const lengths = `${message.length.toLocaleString("en")} characters; ${maxMessageLength.toLocaleString("en")} are allowed`;
    throw new LoopError("message_too_long", `The message is too long: ${lengths}.`);
  }
}
