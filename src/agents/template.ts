// The text of a new AGENT.md, and of a new .prompty: valid as it is, and explaining itself.

/** A name as a folder and an id: lower case, digits and hyphens, and no name that Windows keeps for itself. */
export function agentId(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const id = plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-|-$/g, "");
  if (id === "") return "agent";
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(id) ? `${id}-agent` : id;
}

/** @param name as the person wrote it */
export function agentTemplate(id: string, name: string): string {
  const shown = name.replaceAll(/\s+/g, " ").trim();
  return `---
# What tells this agent from others: lower-case letters, digits and hyphens.
id: ${id}
# What it is called in the agent picker.
name: ${JSON.stringify(shown === "" ? id : shown)}
description: What it is for, in one sentence.

# All that follows is optional: remove the # to use it.

# The model it asks for, by the name its endpoint knows. Without it: the one from the settings.
# model: name-of-the-model

# The only tools it may use. Without it: all.
# tools: [read_file, list_files, search_text]

# Show its calls as a plan, and start none before you approve it.
# plan: lazy

# limits:
#   maxToolIterations: 25
#   executionTimeout: 600000
#   toolTimeout: 30000
---

You are … Say here, in plain words, who the agent is and how it works: what it does first, what it never does, how it
writes. This text stands at the top of every conversation with it.
`;
}

/** @param name as the person wrote it */
export function promptyTemplate(id: string, name: string): string {
  const shown = name.replaceAll(/\s+/g, " ").trim();
  return `---
name: ${id}
# What it is called in the agent picker.
displayName: ${JSON.stringify(shown === "" ? id : shown)}
description: What it is for, in one sentence.

# What the text below is filled in with: asked for when you run it.
inputs:
  - name: topic
    kind: string
    description: What it is about.
    default: this folder

# The model it asks for. Without it: the one from the settings.
# model: name-of-the-model

# All that it may use: Brain's tools by name, and other prompts. Without it: all of Brain's tools.
# tools:
#   - name: read_file
#     kind: function
---
system:
You are … Say here, in plain words, who the agent is and how it works.

user:
Tell me about {{ topic }}.
`;
}
