// The languages of agents' files, as package.json contributes them.

/** A .prompty, and an AGENT.md in a folder of agents. */
export const languages = { prompty: "prompty", agent: "brain-agent" } as const;
