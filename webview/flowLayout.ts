// Where everything of a drawn plan is: columns by depth, a box for each call, lines from each call to those directly after it. Pure.
import type { PlanStep } from "../src/protocol/messages.ts";
import { inOrder, withoutDetours } from "./plan.ts";

export interface FlowBox {
  readonly step: PlanStep;
  /** Those it comes directly after. */
  readonly after: readonly PlanStep[];
  readonly column: number;
  /** Pixels from the left and the top of the drawing. */
  readonly x: number;
  readonly y: number;
}

export interface FlowLine {
  readonly from: string;
  readonly to: string;
  /** Where it bends, its ends among them. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface FlowDrawing {
  /** Column by column, each from top to bottom. */
  readonly boxes: readonly FlowBox[];
  readonly lines: readonly FlowLine[];
  readonly width: number;
  readonly height: number;
}

/** Pixels: of a box, and between boxes. `lane`: what a line takes that passes through a column. */
export const size = { width: 136, height: 24, across: 28, down: 8, lane: 8 } as const;

/** A place in a column: of a call, or of the line from a call to others further on. */
interface Cell {
  readonly key: string;
  readonly column: number;
  readonly height: number;
  /** Keys of the cells in the column before that lead here. */
  readonly from: readonly string[];
}

/** Draws a plan. Only its steps and their order count: the drawing stays as it is while their states change. */
export function layoutOf(steps: readonly PlanStep[]): FlowDrawing {
  const order = inOrder(steps);
  const direct = withoutDetours(order);
  const depths = depthsOf(order, direct);
  const columns = arranged(cellsOf(order, direct, depths));
  const height = Math.max(0, ...columns.map(heightOf));
  const tops = topsOf(columns, height);
  const byId = new Map(steps.map((step) => [step.toolCallId, step]));
  const boxes = columns.flatMap((cells, column) =>
    cells.flatMap(({ key }): FlowBox[] => {
      const step = byId.get(key);
      const after = (direct.get(key) ?? []).flatMap((id) => byId.get(id) ?? []);
      return step ? [{ step, after, column, x: left(column), y: tops.get(key) ?? 0 }] : [];
    }),
  );
  const lines = order.flatMap(({ toolCallId: to }) =>
    (direct.get(to) ?? []).map((from) => ({ from, to, points: pointsOf(from, to, { depths, tops }) })),
  );
  const width = Math.max(0, left(columns.length) - size.across);
  return { boxes, lines, width, height };
}

function left(column: number): number {
  return column * (size.width + size.across);
}

type Direct = ReadonlyMap<string, readonly string[]>;

function depthsOf(order: readonly PlanStep[], direct: Direct): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { toolCallId } of order) {
    const before = (direct.get(toolCallId) ?? []).map((id) => depths.get(id) ?? 0);
    depths.set(toolCallId, before.length === 0 ? 0 : Math.max(...before) + 1);
  }
  return depths;
}

/** The lines of one call share a lane as far as they go the same way. */
function laneOf(from: string, column: number): string {
  return `${column} ${from}`;
}

/** What the line of a call takes of the columns between. */
function lanesOf(producer: string, first: number, last: number): readonly Cell[] {
  return Array.from({ length: last - first - 1 }, (_, index): Cell => {
    const column = first + 1 + index;
    const from = index === 0 ? producer : laneOf(producer, column - 1);
    return { key: laneOf(producer, column), column, height: size.lane, from: [from] };
  });
}

function cellsOf(
  order: readonly PlanStep[],
  direct: Direct,
  depths: ReadonlyMap<string, number>,
): readonly (readonly Cell[])[] {
  const cells = new Map<string, Cell>();
  for (const { toolCallId: key } of order) {
    const column = depths.get(key) ?? 0;
    const from = (direct.get(key) ?? []).map((producer) => {
      const lanes = lanesOf(producer, depths.get(producer) ?? 0, column);
      for (const lane of lanes) if (!cells.has(lane.key)) cells.set(lane.key, lane);
      return lanes.at(-1)?.key ?? producer;
    });
    cells.set(key, { key, column, height: size.height, from });
  }
  const columns: Cell[][] = [];
  for (const cell of cells.values()) (columns[cell.column] ??= []).push(cell);
  return columns;
}

/** Times that the columns are looked through from left to right and back. */
const sweeps = 4;

/** Sorts each column so that lines cross little: each cell near those that it is connected with. */
function arranged(columns: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const next = new Map<string, string[]>();
  for (const { key, from } of columns.flat())
    for (const before of from) next.set(before, [...(next.get(before) ?? []), key]);
  let sorted = columns;
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const forward = sweep % 2 === 0;
    const places = new Map(
      sorted.flatMap((cells) => cells.map(({ key }, place) => [key, place / cells.length] as const)),
    );
    const near = ({ key, from }: Cell): readonly string[] => (forward ? from : (next.get(key) ?? []));
    const walk = forward ? [...sorted.keys()] : [...sorted.keys()].toReversed();
    const made = [...sorted];
    for (const column of walk) {
      const cells = made[column] ?? [];
      const wish = new Map(cells.map((cell) => [cell.key, middleOf(near(cell), places) ?? places.get(cell.key) ?? 0]));
      const now = cells.toSorted((a, b) => (wish.get(a.key) ?? 0) - (wish.get(b.key) ?? 0));
      made[column] = now;
      for (const [place, { key }] of now.entries()) places.set(key, place / now.length);
    }
    sorted = made;
  }
  return sorted;
}

function middleOf(keys: readonly string[], places: ReadonlyMap<string, number>): number | null {
  if (keys.length === 0) return null;
  return keys.reduce((sum, key) => sum + (places.get(key) ?? 0), 0) / keys.length;
}

function heightOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { height }) => sum + height + size.down, -size.down);
}

/** A drawing that is higher is scrolled: its columns begin at the top, so that there is something to see. */
const highest = 152;

/** The columns of a small drawing stand in the middle of it. */
function topsOf(columns: readonly (readonly Cell[])[], height: number): ReadonlyMap<string, number> {
  const tops = new Map<string, number>();
  for (const cells of columns) {
    let top = height > highest ? 0 : Math.floor((height - heightOf(cells)) / 2);
    for (const cell of cells) {
      tops.set(cell.key, top);
      top += cell.height + size.down;
    }
  }
  return tops;
}

interface Placed {
  readonly depths: ReadonlyMap<string, number>;
  readonly tops: ReadonlyMap<string, number>;
}

function pointsOf(from: string, to: string, { depths, tops }: Placed): FlowLine["points"] {
  const [first, last] = [depths.get(from) ?? 0, depths.get(to) ?? 0];
  const middle = (key: string, height: number): number => (tops.get(key) ?? 0) + height / 2;
  const points: [number, number][] = [[left(first) + size.width, middle(from, size.height)]];
  for (let column = first + 1; column < last; column++) {
    const y = middle(laneOf(from, column), size.lane);
    points.push([left(column), y], [left(column) + size.width, y]);
  }
  return [...points, [left(last), middle(to, size.height)]];
}

/** The line as a path: level through columns, bent between them. */
export function pathOf({ points }: FlowLine): string {
  const [[x, y] = [0, 0], ...rest] = points;
  let path = `M${x} ${y}`;
  let [lastX, lastY] = [x, y];
  for (const [nextX, nextY] of rest) {
    const half = (lastX + nextX) / 2;
    path += nextY === lastY ? `H${nextX}` : `C${half} ${lastY} ${half} ${nextY} ${nextX} ${nextY}`;
    [lastX, lastY] = [nextX, nextY];
  }
  return path;
}

/** Where an arrow leads: along a line to the left and right, else to the next column; up and down in a column. Null: nowhere. */
export function neighbour({ boxes, lines }: FlowDrawing, id: string, key: string): string | null {
  const here = boxes.find(({ step }) => step.toolCallId === id);
  if (!here) return null;
  const inColumn = boxes.filter(({ column }) => column === here.column);
  const at = inColumn.indexOf(here);
  const nearest = (some: readonly FlowBox[]): FlowBox | undefined =>
    some.toSorted((a, b) => Math.abs(a.y - here.y) - Math.abs(b.y - here.y))[0];
  const along = (step: 1 | -1): FlowBox | undefined => {
    const ids = lines.flatMap(({ from, to }) => (step === 1 ? (from === id ? [to] : []) : to === id ? [from] : []));
    const linked = boxes.filter((box) => ids.includes(box.step.toolCallId));
    return nearest(linked.length > 0 ? linked : boxes.filter(({ column }) => column === here.column + step));
  };
  const found = (): FlowBox | undefined => {
    switch (key) {
      case "ArrowRight":
        return along(1);
      case "ArrowLeft":
        return along(-1);
      case "ArrowDown":
        return inColumn[at + 1];
      case "ArrowUp":
        return inColumn[at - 1];
      case "Home":
        return boxes[0];
      case "End":
        return boxes.at(-1);
      default:
        return undefined;
    }
  };
  return found()?.step.toolCallId ?? null;
}
