import assert from "node:assert/strict";
import test from "node:test";

import { Cells } from "../../assets/components/cells.js";

// Two heatmaps side by side, and one below the first; all in pixels.
const MAPS = [
  { columns: [0, 10, 20, 30], rows: [0, 10, 20] },
  { columns: [50, 70, 90], rows: [0, 4, 8, 12, 16, 20] },
  { columns: [0, 15, 30], rows: [40, 50, 60] },
];

// Where these keys lead: [map, row, column].
function walk([map, row, column], keys, maps = MAPS) {
  const cells = Object.assign(Object.create(Cells.prototype), { maps, at: { map, row, column } });
  for (const key of keys) assert.ok(cells.move(key.replace("Ctrl+", ""), key.startsWith("Ctrl+")));
  return [cells.at.map, cells.at.row, cells.at.column];
}

test("over the edge, the arrow keys lead to the cell that is level with it, and back", () => {
  assert.deepEqual(walk([0, 0, 0], ["ArrowRight", "ArrowDown", "ArrowRight"]), [0, 1, 2]); // 15 pixels down
  assert.deepEqual(walk([0, 1, 2], ["ArrowRight"]), [1, 3, 0]);
  assert.deepEqual(walk([0, 1, 2], ["ArrowRight", "ArrowLeft"]), [0, 1, 2]);
  assert.deepEqual(walk([0, 1, 2], ["ArrowDown"]), [2, 0, 1]);
});

test("what lies straight on comes first; if nothing does, what is nearest; else the walk ends", () => {
  const straight = { columns: [0, 30], rows: [100, 110] };
  const aside = { columns: [60, 80], rows: [30, 38] }; // which is nearer
  assert.deepEqual(walk([0, 1, 2], ["ArrowDown"], [MAPS[0], aside, straight]), [2, 0, 0]);
  assert.deepEqual(walk([0, 1, 2], ["ArrowDown"], [MAPS[0], aside]), [1, 0, 0]);
  assert.deepEqual(walk([1, 2, 1], ["ArrowRight", "ArrowRight"]), [1, 2, 1]);
  const further = { columns: [60, 80], rows: [100, 110] };
  assert.deepEqual(walk([0, 1, 2], ["ArrowDown"], [MAPS[0], further, aside]), [2, 0, 0]);
  const level = { columns: [50, 70], rows: [0, 100] }; // its middle is lower, but it is beside
  assert.deepEqual(walk([0, 1, 2], ["ArrowDown"], [MAPS[0], level]), [0, 1, 2]);
});

test("Home and End lead along the row, with Ctrl to the corners, the Page keys by ten rows", () => {
  assert.deepEqual(walk([0, 1, 1], ["End"]), [0, 1, 2]);
  assert.deepEqual(walk([0, 1, 1], ["Home"]), [0, 1, 0]);
  assert.deepEqual(walk([1, 1, 0], ["Ctrl+End"]), [1, 4, 1]);
  assert.deepEqual(walk([1, 1, 1], ["Ctrl+Home"]), [1, 0, 0]);
  const high = [{ columns: [0, 1], rows: [...Array(26).keys()] }];
  assert.deepEqual(walk([0, 0, 0], ["PageDown", "PageDown"], high), [0, 20, 0]);
  assert.deepEqual(walk([0, 20, 0], ["PageDown", "PageUp"], high), [0, 14, 0]);
});
