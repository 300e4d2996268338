// Changed files as a proposal: the difference now, the writing once it is approved.
import { sep } from "node:path";
import type { LeftTexts, Refusal, ToolResult } from "../engine/ports.ts";
import { toFailure } from "../protocol/errors.ts";
import { createPatch } from "./patch.ts";
import { failed, refused, succeeded, type Work } from "./tool.ts";
import type { Workspace } from "./workspace.ts";
import { putBack, writtenBy, type Left, type Written } from "./writeTogether.ts";
import { carryOut, misfit, type Change } from "./writing.ts";

/** Proposes what would become of one file. */
export function propose(workspace: Workspace, change: Change): Work | Refusal {
  const { path, to, before, after } = change;
  const old = before?.text ?? null;
  if (before && old === after && !to) return refused(`Nothing would change in “${path.relative}”.`);
  const difference = createPatch({ path: path.relative, to: to?.relative }, old, after);
  const where = { path: path.relative, ...(to && { to: to.relative }) };
  const about = { created: before === null, ...(after === null && { deleted: true }) };
  const proposal = { file: path.real, ...where, before: old, after };
  return {
    preview: { kind: "diff", ...where, ...difference, ...about },
    // Of a file that is only moved there is nothing to take or to leave.
    ...((old !== after || !before) && { proposals: [proposal], revised: ([text]) => revise(workspace, change, text) }),
    run: async () => withHow(await carryOut(workspace, change), change),
  };
}

/** The same, with the text that a person has left of it: the model reads what became of its own. */
function revise(workspace: Workspace, change: Change, text: LeftTexts[number] = null): Work | Refusal {
  const proposed = change.after ?? "";
  if (text === proposed) return propose(workspace, change);
  const work = propose(workspace, { ...change, after: text ?? change.before?.text ?? "" });
  if ("kind" in work) return work;
  const { relative } = change.path;
  return {
    ...work,
    revised: ([other]) => revise(workspace, change, other),
    run: async (context) => {
      const result = await work.run(context);
      if (result.status === "failed") return result;
      const { patch } = createPatch({ path: relative }, text, proposed);
      const told = `The person decided what is written, and that is what stands above. This of what you proposed was left out or written otherwise:\n\n${patch}`;
      return { ...result, content: `${result.content}\n\n${told}` };
    },
  };
}

function withHow(result: ToolResult, { how = [] }: Change): ToolResult {
  if (how.length === 0 || result.status === "failed") return result;
  return { ...result, content: `${result.content}\n\n${how.join(". ")}.` };
}

interface Part {
  readonly change: Change;
  readonly work: Work;
}

/** Proposes what would become of several files: each is reviewed by itself, and none is written unless all fit. */
export function proposeAll(workspace: Workspace, changes: readonly Change[]): Work | Refusal {
  const parts: Part[] = [];
  for (const change of changes) {
    const work = propose(workspace, change);
    if ("kind" in work) return work;
    parts.push({ change, work });
  }
  const [only] = parts;
  return only && parts.length === 1 ? only.work : together(workspace, parts, []);
}

/** @param left paths of which a person wants nothing */
function together(workspace: Workspace, parts: readonly Part[], left: readonly string[]): Work {
  const files = parts.flatMap(({ work }) => (work.preview?.kind === "diff" ? [work.preview] : []));
  return {
    preview: { kind: "diffs", files: files.map(({ kind: _kind, ...file }) => file) },
    proposals: parts.flatMap(({ work }) => work.proposals ?? []),
    revised: (texts) => reviseAll(workspace, parts, texts),
    run: async (context) => {
      const problems = (await Promise.all(parts.map(({ change }) => misfit(workspace, change)))).filter(Boolean);
      if (problems.length > 0) return failed(`Nothing was written. ${problems.join(" ")}`);
      const results: ToolResult[] = [];
      const written: Written[] = [];
      for (const { change, work } of lastDeleted(parts)) {
        const was = await workspace.files.read(change.path).catch(() => change.before);
        const result = await work.run(context).catch((error: unknown) => failed(toFailure(error).message));
        if (result.status === "failed") return torn(change, result, await putBack(workspace, written));
        written.push(await writtenBy(workspace, change, was));
        results.push(result);
      }
      const refusedOnes = left.map((path) => `The person refused the change of ${path}: it was left as it is.`);
      return succeeded([...results.map((result) => result.content), ...refusedOnes].join("\n\n"));
    },
  };
}

/** Of a deleted file only the text could be put back, so that nothing is left to fail then; but a folder may come in its place. */
function lastDeleted(parts: readonly Part[]): readonly Part[] {
  const makesRoom = (path: string): boolean => parts.some(({ change }) => change.path.real.startsWith(path + sep));
  const isLast = ({ change: { path, after } }: Part): boolean => after === null && !makesRoom(path.real);
  return parts.toSorted((a, b) => Number(isLast(a)) - Number(isLast(b)));
}

/** @param left what was written before, and could not be put back */
function torn({ path }: Change, { content }: ToolResult, left: readonly Left[]): ToolResult {
  const why = `“${path.relative}”: ${content}`;
  if (left.length === 0) return failed(`Nothing was changed in any file.\n\n${why}`);
  const rest = left.map(
    ({ back, message }) => `“${back.path.relative}” has its change and could not be put back: ${message}`,
  );
  return failed([`The files that are not named here were left as they were.`, why, ...rest].join("\n\n"));
}

function reviseAll(workspace: Workspace, parts: readonly Part[], texts: LeftTexts): Work | Refusal {
  const left: string[] = [];
  const kept: Part[] = [];
  let at = 0;
  for (const part of parts) {
    const text = part.work.proposals ? texts[at++] : undefined;
    if (text === null) left.push(part.change.path.relative);
    const work = text === undefined ? part.work : text !== null && part.work.revised?.([text]);
    if (!work) continue;
    if ("kind" in work) return work;
    kept.push({ ...part, work });
  }
  if (kept.length === 0) return refused("Nothing would change.");
  return { ...together(workspace, kept, left), revised: (others) => reviseAll(workspace, parts, others) };
}
