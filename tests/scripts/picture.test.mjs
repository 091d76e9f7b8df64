import assert from "node:assert/strict";
import test from "node:test";

import { Picture } from "../../assets/components/picture.js";

// Two heatmaps side by side, and two points between them.
const words = (...said) => ({ words: said, at: [...said.keys()] });
const numbers = (...said) => ({ numbers: said, digits: 2, plus: "+" });
const LEFT = {
  name: "left", box: [0, 0.4, 0, 1], rows: 2, columns: 2, blank: [3], template: "%{y} looks at %{x}: %{z:+.2f}",
  fields: { x: words("a", "b"), y: words("c", "d"), z: numbers(25, -5, 0, null) },
};
const RIGHT = { name: "right", box: [0.6, 1, 0, 1], rows: 1, columns: 1, blank: [], template: "", fields: {} };
const POINTS = {
  name: "line", at: [[0.5, 0.5], [0.5, 0.43]], places: [[8, 2], [9, 3]], texts: ["2,00", "3,00"],
};

// Its area is 500 by 200 pixels, beside names of 60 and below names of 40, all drawn 1.5 times as large.
const picture = (given = {}, maps = [LEFT, RIGHT]) => Object.assign(Object.create(Picture.prototype), {
  hover: { maps, points: [POINTS], separators: ",." },
  left: 60, top: 40, across: 500, down: 200, times: 1.5,
  svg: { getBoundingClientRect: () => ({ left: 1000, top: 2000 }) },
  ...given,
});
const pointer = (x, y) => ({ clientX: 1000 + x, clientY: 2000 + y });
const close = (found, wanted) => found.forEach((value, n) => assert.ok(Math.abs(value - wanted[n]) < 1e-9, `${found}`));

test("a cell is told in its words, its number as the language writes it", () => {
  const texts = [[0, 0], [0, 1], [1, 0]].map(([row, column]) => picture().cell(LEFT, row, column).text);
  assert.deepEqual(texts, ["c looks at a: +0,25", "c looks at b: −0,05", "d looks at a: +0,00"]);
});

test("a place is in the cell that is drawn there, on top, and not in a blank one", () => {
  const told = (share, maps) => picture({}, maps).cellAt(share)?.told;
  assert.deepEqual(told([0.3, 0.2]), { x: 1, y: 0, name: "left" });
  assert.deepEqual(told([0.1, 0.9]), { x: 0, y: 1, name: "left" });
  assert.equal(told([0.3, 0.9]), undefined);
  assert.equal(told([0.5, 0.5]), undefined);
  const below = { ...RIGHT, box: [0, 1, 0, 1] };
  assert.equal(told([0.3, 0.2], [below, LEFT]).name, "left");
  assert.equal(told([0.3, 0.9], [below, LEFT]).name, "right"); // through the blank cell
});

test("pixels and shares say the same place", () => {
  close(picture().pixelOf([0.5, 0.25]), [1.5 * (60 + 250), 1.5 * (40 + 50)]);
  const [x, y] = picture().pixelOf([0.45, 0.8]);
  close(picture().placeOf(pointer(x, y)).share, [0.45, 0.8]);
});

test("nothing is meant outside of the area, nor under the names that stay in sight", () => {
  const inside = (x, y, given) => picture(given).placeOf(pointer(1.5 * x, 1.5 * y)).inside;
  assert.deepEqual([inside(61, 41), inside(559, 239)], [true, true]);
  assert.deepEqual([inside(59, 41), inside(61, 39), inside(561, 41), inside(61, 241)], Array(4).fill(false));
  const scrolled = { scrolled: [150, 0] };
  assert.deepEqual([inside(159, 41, scrolled), inside(161, 41, scrolled)], [false, true]);
});

test("the nearest point is meant, if it is near", () => {
  const found = (down) => picture().find(picture().placeOf(pointer(1.5 * (60 + 250), 1.5 * (40 + down))));
  assert.deepEqual(found(109).told, { x: 8, y: 2, name: "line" }); // 1.5 · 9 pixels away
  assert.equal(found(109).text, "2,00");
  assert.equal(found(110), null);
  assert.deepEqual([92, 94].map((down) => found(down).told.x), [9, 8]); // they lie at 86 and 100
});
