// The drawing of a plan as numbers: nothing lies on anything else, everything leads forward, and states move nothing.
import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { PlanStep } from "../../src/protocol/messages.ts";
import { layoutOf, neighbour, size } from "../../webview/flowLayout.ts";
import type { FlowDrawing, FlowLine } from "../../webview/flowLayout.ts";
import { edgesOf, inOrder, withoutDetours } from "../../webview/plan.ts";
import * as story from "./stories.ts";

const numRuns = Number(process.env["FLOW_RUNS"] ?? 200);
const step = (toolCallId: string, ...after: string[]): PlanStep => ({
  toolCallId,
  toolName: "t",
  label: { verb: toolCallId, subject: "" },
  after,
});
const plans = (most: number) =>
  fc
    .array(fc.array(fc.nat(most - 1), { maxLength: 4 }), { minLength: 1, maxLength: most })
    .map((all) => all.map((after, index) => step(`s${index}`, ...after.map((other) => `s${other}`))));
const boxOf = ({ boxes }: FlowDrawing, id: string) => boxes.find((box) => box.step.toolCallId === id);

/** The pieces of a line, each within one column or between two. */
const pieces = ({ points }: FlowLine) => points.slice(1).map((end, index) => [points[index] ?? end, end] as const);

describe("the drawing of a plan", () => {
  it("has a column for each depth, and the box of each call between those before and after it", () => {
    const drawing = layoutOf(story.planSteps);
    assert.deepEqual(
      drawing.boxes.map(({ step: { toolCallId }, column, x, y }) => [toolCallId, column, x, y]),
      [
        ["r1", 0, 0, 0],
        ["r2", 0, 0, 32],
        ["w1", 1, 164, 0],
        ["e1", 1, 164, 32],
        ["c1", 2, 328, 16],
      ],
    );
    assert.deepEqual([drawing.width, drawing.height], [464, 56]);
    assert.equal(drawing.lines.length, edgesOf(story.planSteps));
  });

  it("of any plan: boxes never overlap, lie within it, and each line leads forward from its call to one directly after it", () => {
    fc.assert(
      fc.property(plans(60), (steps) => {
        const drawing = layoutOf(steps);
        const { boxes, lines, width, height } = drawing;
        assert.deepEqual(new Set(boxes.map((box) => box.step)), new Set(steps));
        for (const [index, a] of boxes.entries()) {
          assert.ok(a.x >= 0 && a.y >= 0 && a.x + size.width <= width && a.y + size.height <= height);
          for (const b of boxes.slice(index + 1))
            assert.ok(a.x !== b.x || a.y + size.height <= b.y || b.y + size.height <= a.y, "boxes overlap");
        }
        const direct = withoutDetours(inOrder(steps));
        assert.deepEqual(
          lines.map(({ from, to }) => `${from} ${to}`),
          [...direct].flatMap(([to, after]) => after.map((from) => `${from} ${to}`)),
        );
        for (const line of lines) {
          const [from, to] = [boxOf(drawing, line.from), boxOf(drawing, line.to)];
          assert.ok(from && to && from.column < to.column);
          assert.deepEqual(line.points[0], [from.x + size.width, from.y + size.height / 2]);
          assert.deepEqual(line.points.at(-1), [to.x, to.y + size.height / 2]);
        }
      }),
      { numRuns },
    );
  });

  it("of any plan: no line goes through a box", () => {
    fc.assert(
      fc.property(plans(40), (steps) => {
        const { boxes, lines } = layoutOf(steps);
        for (const line of lines)
          for (const [[x1, y1], [x2, y2]] of pieces(line)) {
            assert.ok(x1 < x2);
            const within = boxes.filter((box) => box.x < x2 && x1 < box.x + size.width);
            if (within.length > 0) assert.equal(y1, y2, "it bends only between columns");
            for (const box of within) assert.ok(y1 < box.y || y1 > box.y + size.height, "a line goes through a box");
          }
      }),
      { numRuns },
    );
  });

  it("stays as it is when words change, and is the same each time", () => {
    fc.assert(
      fc.property(plans(30), (steps) => {
        const places = (some: readonly PlanStep[]) => layoutOf(some).boxes.map(({ x, y }) => [x, y]);
        const renamed = steps.map((one) => ({ ...one, label: { verb: "Edit", subject: "a/long/name.ts" } }));
        assert.deepEqual(places(renamed), places(steps));
      }),
      { numRuns },
    );
  });

  it("is walked by arrows: from each of its boxes to every other", () => {
    fc.assert(
      fc.property(plans(25), (steps) => {
        const drawing = layoutOf(steps);
        const found = new Set<string>();
        const todo = [drawing.boxes[0]?.step.toolCallId ?? ""];
        for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
          if (found.has(id)) continue;
          found.add(id);
          for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End", "x"]) {
            const to = neighbour(drawing, id, key);
            if (to !== null) todo.push(to);
          }
        }
        assert.equal(found.size, steps.length);
      }),
      { numRuns },
    );
  });

  it("is empty for a plan without steps, and circles do not hang it up", () => {
    assert.deepEqual(layoutOf([]), { boxes: [], lines: [], width: 0, height: 0 });
    assert.equal(layoutOf([step("a", "b"), step("b", "a")]).boxes.length, 2);
  });
});
