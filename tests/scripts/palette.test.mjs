import assert from "node:assert/strict";
import test from "node:test";

import { palette, pixelsOf } from "../../assets/components/palette.js";

const TWO = [[0, "#000000"], [1, "#fe7f00"]];

test("what is masked lets everything through; from 1 to 255 is the whole scale", () => {
  const colors = palette(TWO);
  assert.equal(colors.length, 256);
  assert.deepEqual(colors[0], [0, 0, 0, 0]);
  assert.deepEqual(colors[1], [0, 0, 0, 255]);
  assert.deepEqual(colors[255], [254, 127, 0, 255]);
});

test("the steps are even", () => {
  // 254 steps up to 254: one each.
  assert.deepEqual(palette(TWO).slice(1).map(([red]) => red), [...Array(255).keys()]);
});

test("each part of a scale goes from its own stop to the next", () => {
  const colors = palette([[0, "#000000"], [0.5, "#0000c8"], [1, "#640000"]]);
  assert.deepEqual(colors[128], [0, 0, 200, 255]); // the stop in the middle
  assert.deepEqual(colors[64], [0, 0, Math.round((200 * 63) / 127), 255]); // 63 of the 127 steps to it
  assert.deepEqual(colors[255], [100, 0, 0, 255]);
});

test("a pixel's bytes are red, green, blue and opacity", () => {
  const bytes = new Uint8Array(pixelsOf(TWO).buffer);
  assert.deepEqual(Array.from(bytes.subarray(0, 4)), [0, 0, 0, 0]);
  assert.deepEqual(Array.from(bytes.subarray(4 * 255)), [254, 127, 0, 255]);
});
