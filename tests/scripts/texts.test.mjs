import assert from "node:assert/strict";
import test from "node:test";

import { fill, numeral } from "../../assets/components/texts.js";

test("every value comes into its place, zero too, and what has none stays", () => {
  const text = "{n} of {all}: {n}, {other}";
  assert.equal(fill(text, { n: 0, all: 12 }), "0 of 12: 0, {other}");
});

test("a value is text, whatever signs are in it", () => {
  const typed = "$& {b} $1";
  assert.equal(fill("{a}, {b}", { a: typed, b: "B" }), `${typed}, B`);
});

test("a word from the right is marked as a unit, as by explorer/languages.py", () => {
  assert.equal(fill("{a} {b}: {n}", { a: "על", b: "cat", n: 1 }), "\u2068על\u2069 cat: 1");
});

test("a number has the signs of its language", () => {
  assert.equal(numeral(-0.125, 3, ","), "−0,125");
  assert.equal(numeral(2, 1, "."), "2.0");
});
