// A Jupyter notebook: its cells as a model reads them, and changes of a cell that leave the rest of the file to the letter.
import * as z from "zod";
import { elementsAt, membersAt, skipSpace, type Span } from "./jsonSpans.ts";
import { lineEndings } from "./lineEndings.ts";

const Lines = z
  .union([z.string(), z.array(z.string())])
  .transform((lines) => (typeof lines === "string" ? lines : lines.join("")));

const Output = z.looseObject({
  output_type: z.string(),
  text: Lines.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
});

const Cell = z.looseObject({
  cell_type: z.string(),
  id: z.string().optional(),
  execution_count: z.number().nullish(),
  source: Lines,
  outputs: z.array(Output).optional(),
});
type Cell = z.infer<typeof Cell>;

const Notebook = z.looseObject({ cells: z.array(Cell), nbformat: z.number(), nbformat_minor: z.number() });
type Notebook = z.infer<typeof Notebook>;

export function isNotebookName(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/** Null: the text is no notebook of a form that is known. */
export function parseNotebook(text: string): Notebook | null {
  try {
    return Notebook.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Lines of one output that are shown. */
const mostLines = 20;

/** The cells with their sources and the beginnings of their outputs. */
export function shownNotebook({ cells }: Notebook): string {
  return cells.map(shownCell).join("\n\n");
}

function shownCell(cell: Cell, index: number): string {
  const count = cell.execution_count == null ? "" : ` · run ${cell.execution_count}`;
  const id = cell.id === undefined ? "" : ` · id ${cell.id}`;
  const outputs = (cell.outputs ?? []).map(shownOutput);
  return [`── cell ${index} · ${cell.cell_type}${id}${count}`, cell.source, ...outputs].join("\n");
}

function shownOutput({ output_type: type, text, data = {}, ename, evalue }: z.infer<typeof Output>): string {
  if (ename !== undefined) return `→ ${ename}: ${evalue ?? ""}`;
  const plain = Lines.safeParse(data["text/plain"]);
  const said = text ?? (plain.success ? plain.data : "");
  const others = Object.keys(data).filter((kind) => kind !== "text/plain");
  const lines = said.replace(/\n$/, "").split("\n");
  const more = lines.length > mostLines ? [`… and ${lines.length - mostLines} more lines`] : [];
  const shown = said === "" ? [] : [...lines.slice(0, mostLines), ...more];
  const named = others.length > 0 ? `${others.join(", ")}, not shown` : "";
  return [`→ ${named || type}`, ...shown].join("\n");
}

export type CellEdit =
  | { readonly action: "replace"; readonly cell: string; readonly source: string }
  | { readonly action: "delete"; readonly cell: string }
  /** Before the named cell; at the end when none is named. */
  | { readonly action: "insert"; readonly cell?: string | undefined; readonly source: string; readonly type: CellType };

export const cellTypes = ["code", "markdown", "raw"] as const;
export type CellType = (typeof cellTypes)[number];

export interface NewCell {
  /** For formats in which cells have one. */
  readonly id: string;
}

/** Makes one change. @returns the whole new text, or a sentence for the model */
export function editNotebook(text: string, edit: CellEdit, fresh: NewCell): { text: string } | { problem: string } {
  const notebook = parseNotebook(text);
  if (!notebook) return { problem: "it is not a notebook of format 4. Use edit_file to change its text." };
  const array = membersAt(text, skipSpace(text, 0)).findLast(({ key }) => key === "cells");
  if (!array) return { problem: "it has no cells." };
  const index = edit.cell === undefined ? notebook.cells.length : indexOf(notebook, edit.cell);
  if (index === null)
    return {
      problem: `it has no cell “${edit.cell}”. It has ${notebook.cells.length} cells, counted from 0; read it again.`,
    };
  const place: Place = {
    text,
    array,
    cells: elementsAt(text, array.from),
    unit: /^\{\r?\n([ \t]+)/.exec(text)?.[1] ?? "",
  };
  switch (edit.action) {
    case "replace":
      return { text: withSource(place, index, edit.source) };
    case "delete":
      return { text: without(place, index) };
    case "insert":
      return { text: withCell(place, index, cellOf(notebook, edit, fresh)) };
  }
}

/** Ids come before numbers: a cell's id may be a number. */
function indexOf({ cells }: Notebook, named: string): number | null {
  const byId = cells.findIndex(({ id }) => id === named);
  if (byId !== -1) return byId;
  return /^\d+$/.test(named) && Number(named) < cells.length ? Number(named) : null;
}

interface Place {
  readonly text: string;
  readonly array: Span;
  readonly cells: readonly Span[];
  /** One step of indentation; `""`: all stands in one line. */
  readonly unit: string;
}

/** Cells stand two steps deep. */
const depth = 2;

function written({ text, unit }: Place, value: unknown, deep: number): string {
  const lines = JSON.stringify(value, null, unit).replaceAll("\n", `\n${unit.repeat(deep)}`);
  return lines.replaceAll("\n", lineEndings(text));
}

function newline({ text, unit }: Place, deep: number): string {
  return unit === "" ? "" : lineEndings(text) + unit.repeat(deep);
}

function put(text: string, { from, to }: Span, fresh: string): string {
  return text.slice(0, from) + fresh + text.slice(to);
}

function withSource(place: Place, index: number, source: string): string {
  const { text, cells } = place;
  const old = membersAt(text, cells[index]?.from ?? 0).findLast(({ key }) => key === "source");
  if (!old) return text;
  // Some programs write it as one text: that is kept.
  const value = text[old.from] === '"' ? source : linesOf(source);
  return put(text, old, written(place, value, depth + 1));
}

function linesOf(source: string): readonly string[] {
  return source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function without(place: Place, index: number): string {
  const { text, cells, array } = place;
  const [before, cell, after] = [cells[index - 1], cells[index], cells[index + 1]];
  if (!cell) return text;
  if (after) return put(text, { from: cell.from, to: after.from }, "");
  return before ? put(text, { from: before.to, to: cell.to }, "") : put(text, array, "[]");
}

function withCell(place: Place, index: number, cell: unknown): string {
  const { text, cells, array } = place;
  const fresh = written(place, cell, depth);
  const [before, after] = [cells[index - 1], cells[index]];
  if (after) return put(text, { from: after.from, to: after.from }, `${fresh},${newline(place, depth)}`);
  if (before) return put(text, { from: before.to, to: before.to }, `,${newline(place, depth)}${fresh}`);
  return put(text, array, `[${newline(place, depth)}${fresh}${newline(place, 1)}]`);
}

/** Members in the order in which Jupyter writes them. */
function cellOf(
  { nbformat_minor: minor }: Notebook,
  { type, source }: Extract<CellEdit, { action: "insert" }>,
  { id }: NewCell,
): unknown {
  const isCode = type === "code";
  return {
    cell_type: type,
    ...(isCode && { execution_count: null }),
    ...(minor >= 5 && { id }),
    metadata: {},
    ...(isCode && { outputs: [] }),
    source: linesOf(source),
  };
}
