// Which events of a reply a person sees, so that no other reply can take its place any more.
import type { ModelEvent } from "../engine/ports.ts";

export const visible: ReadonlySet<ModelEvent["type"]> = new Set(["text", "thinking", "call:start", "call"]);
