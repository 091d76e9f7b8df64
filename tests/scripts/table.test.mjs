import assert from "node:assert/strict";
import test from "node:test";

globalThis.document = { documentElement: { lang: "" } };
const { needsBlackText, comparator } = await import("../../assets/components/table.js");

const sorted = (cells, language, signs) => {
  document.documentElement.lang = language;
  return cells.toSorted(comparator(signs));
};

test("numbers are ordered by their values, as the language writes them", () => {
  assert.deepEqual(sorted(["10.1", "9.9", "−0.5", "1,200.0", "−2"], "en", ".,"), ["−2", "−0.5", "9.9", "10.1", "1,200.0"]);
  assert.deepEqual(sorted(["1.200.000,5", "10,1", "9,9", "−10,2"], "de", ",."), ["−10,2", "9,9", "10,1", "1.200.000,5"]);
});

test("words are ordered as the language does, and numbers in them by value", () => {
  assert.deepEqual(sorted(["layer 10", "Layer 2", "layer 1"], "en", ".,"), ["layer 1", "Layer 2", "layer 10"]);
  assert.deepEqual(sorted(["zu", "ähnlich", "Apfel"], "de", ",."), ["ähnlich", "Apfel", "zu"]);
});

test("an empty cell is no zero", () => {
  assert.deepEqual(sorted(["", "−1"], "en", ".,"), ["", "−1"]);
});

test("black stands on light colours and white on dark ones", () => {
  // On the grey #767676 white has a contrast of 4.54, so black has 21 / 4.54 = 4.62; a shade below,
  // white has 4.61, and black 4.56.
  assert.deepEqual([0x76, 0x75].map((grey) => needsBlackText([grey, grey, grey])), [true, false]);
  // Green is the brightest of the three, and blue the darkest.
  assert.deepEqual([[0, 255, 0], [0, 0, 255]].map(needsBlackText), [true, false]);
});
