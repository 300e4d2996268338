// apply_patch: several files in one call, in the form of a patch.
import * as z from "zod";
import type { Refusal, Tool, Touches } from "../engine/ports.ts";
import { fitHunks } from "./fitHunks.ts";
import { missingFile } from "./missingFile.ts";
import type { PatchFile } from "./patchFile.ts";
import { proposeAll } from "./proposal.ts";
import { readPatch } from "./readPatch.ts";
import type { ScopedPath } from "../scope/scope.ts";
import { defineTool, outOfScope, refused, touching } from "./tool.ts";
import type { FileContent, Workspace } from "./workspace.ts";
import type { Change } from "./writing.ts";

export function applyPatchTool(workspace: Workspace): Tool {
  return defineTool({
    name: "apply_patch",
    description:
      "Changes several files at once: all that the patch says, or nothing. Between “*** Begin Patch” and “*** End Patch” stand parts: “*** Update File: path” with hunks, after it “*** Move to: path” if the file also moves; “*** Add File: path” with lines that begin with “+”; “*** Delete File: path”. A hunk begins with “@@”, followed by a line above it such as “@@ class Cart” where that tells places apart; its lines begin with a space (stays), “-” (goes) or “+” (comes). Write three lines around each change. A unified diff works too; wrong line numbers in it do no harm.",
    effect: "write",
    schema: z.strictObject({ patch: z.string().min(1).describe("The patch") }),
    label: (text) => ({ verb: "Patch", subject: subjectOf(filesIn(text("patch"))) }),
    touches: (text) => touchesOf(filesIn(text("patch"))),
    prepare: async ({ patch }, signal) => {
      const read = readPatch(patch);
      if ("problem" in read) return refused(`Nothing was changed: ${read.problem}`);
      const changes = new Map<string, Change>();
      const problems: string[] = [];
      for (const file of read.files) {
        const made = await changeOf({ workspace, changes, signal }, file);
        if ("path" in made) changes.set(made.path.real, made);
        else if (made.status === "denied") return made;
        else problems.push(made.content);
      }
      if (problems.length > 0) return refused(`Nothing was changed in any file.\n\n${problems.join("\n\n")}`);
      return proposeAll(workspace, [...changes.values()]);
    },
  });
}

function filesIn(patch: string): readonly PatchFile[] {
  const read = readPatch(patch);
  return "files" in read ? read.files : [];
}

const mostNamed = 3;

function subjectOf(files: readonly PatchFile[]): string {
  const names = files.map(({ path, to }) => (to === undefined ? path : `${path} → ${to}`));
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  return `${names.slice(0, mostNamed).join(", ")}${more}`;
}

function touchesOf(files: readonly PatchFile[]): Touches {
  const reads = files.flatMap(({ kind, path }) => (kind === "add" ? [] : [path]));
  return touching({ reads, writes: files.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])) });
}

interface Desk {
  readonly workspace: Workspace;
  /** What the earlier parts of the patch make, by real path. */
  readonly changes: ReadonlyMap<string, Change>;
  readonly signal: AbortSignal;
}

async function changeOf(desk: Desk, file: PatchFile): Promise<Change | Refusal> {
  const places = await placesOf(desk.workspace, file);
  if ("kind" in places) return places;
  const { path } = places;
  const earlier = desk.changes.get(path.real) ?? null;
  if (targetsOf(desk.changes).includes(path.real) || (earlier && !isPlain(earlier, file)))
    return refused(`The patch names “${path.relative}” more than once, in ways that do not go together.`);
  const before = earlier?.before ?? (await desk.workspace.files.read(path));
  const problem = await whyNot(desk, file, { ...places, before });
  if (problem !== null) return refused(problem);
  if (file.kind === "delete") return { path, before, after: null };
  return madeOf({ ...places, before, ...(earlier?.how && { how: earlier.how }) }, file, earlier);
}

type Places = Pick<Change, "path" | "to">;

async function placesOf({ scope }: Workspace, { path, to }: PatchFile): Promise<Places | Refusal> {
  const from = await scope.resolve(path, "write");
  if ("denied" in from) return outOfScope(from);
  if (to === undefined) return { path: from };
  const target = await scope.resolve(to, "write");
  return "denied" in target ? outOfScope(target) : { path: from, to: target };
}

/** Why what is there does not go with what the patch wants of it. */
async function whyNot(
  desk: Desk,
  { kind }: PatchFile,
  { path, to, before }: Omit<Change, "after">,
): Promise<string | null> {
  if (kind === "add") return before && `“${path.relative}” exists already: update it, or use write_file to replace it.`;
  if (!before) return missingFile(desk.workspace, path, desk.signal);
  if (before.unsaved && (kind === "delete" || to))
    return `“${path.relative}” has unsaved changes in the editor: the person has to save or drop them first.`;
  return to && (await isTaken(desk, to)) ? `There is “${to.relative}” already, and nothing is written over.` : null;
}

function targetsOf(changes: Desk["changes"]): readonly (string | undefined)[] {
  return [...changes.values()].map(({ to }) => to?.real);
}

async function isTaken({ workspace, changes }: Desk, to: ScopedPath): Promise<boolean> {
  if (changes.has(to.real) || targetsOf(changes).includes(to.real)) return true;
  return (await workspace.files.find(to)) !== "nothing";
}

/** Both only change the text, so that one can stand on the other. */
function isPlain(earlier: Change, file: PatchFile): boolean {
  return file.kind === "update" && earlier.before !== null && earlier.after !== null && !earlier.to;
}

function madeOf(about: Omit<Change, "after">, { hunks }: PatchFile, earlier: Change | null): Change | Refusal {
  const { path, before, to, how = [] } = about;
  const text = earlier?.after ?? textOf(before);
  const fitted = fitHunks(text, hunks);
  if ("problem" in fitted) return refused(`“${path.relative}”: ${fitted.problem}`);
  if (before && fitted.text === before.text && !to) return refused(`“${path.relative}”: nothing would change in it.`);
  const all = [...how, ...(fitted.how ?? [])];
  return { ...about, after: fitted.text, ...(all.length > 0 && { how: all }) };
}

function textOf(before: FileContent | null): string {
  return before?.text ?? "";
}
