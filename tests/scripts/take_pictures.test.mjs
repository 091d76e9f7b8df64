import assert from "node:assert/strict";
import test from "node:test";

import { seen } from "../../assets/components/dom_picture.js";
import { beginning, wrapped } from "../../assets/components/take_pictures.js";

const SIZE = 10; // a letter is 5.7 wide, so 20 letters need 114

test("a caption is broken between words, and loses none", () => {
  const text = "the weights of every head, averaged over all tokens that are not PAD";
  const lines = wrapped(text, 170, SIZE);
  assert.ok(lines.every((line) => 5.7 * line.length <= 170), lines.join("|"));
  assert.equal(lines.join(" "), text);
  // No word of the next line would have had room.
  lines.slice(1).forEach((line, n) => {
    assert.ok(5.7 * (lines[n].length + 1 + line.split(" ")[0].length) > 170, lines[n]);
  });
});

test("lines stay lines; a word that is wider than the picture is not broken", () => {
  const long = "a".repeat(40);
  assert.deepEqual(wrapped(`one\n\n${long} two`, 120, SIZE), ["one", "", long, "two"]);
});

test("Chinese has no spaces: it is broken between characters, but not before a punctuation mark", () => {
  // 20 letters' room is eleven characters, of 1.75 each; the comma stays with what it follows.
  const lines = wrapped("一二三四五六七八九十零，一二", 114, SIZE);
  assert.deepEqual(lines, ["一二三四五六七八九十", "零，一二"]);
});

test("of a long description the first whole sentences are taken", () => {
  assert.equal(beginning("Short. And whole."), "Short. And whole.");
  const [first, second] = [`${"a".repeat(98)}. `, `${"b".repeat(98)}. `];
  assert.equal(beginning(`${first}${second}${first}`), `${first}${second}`.trim());
  const [one, two] = [`${"一".repeat(99)}。`, `${"二".repeat(99)}。`];
  assert.equal(beginning(`${one}${two}${one}`), `${one}${two}`);
  assert.equal(beginning("a".repeat(300)), `${"a".repeat(220)}…`);
});

test("only what lets everything through is left out of a saved picture", () => {
  for (const color of ["rgba(0, 0, 0, 0)", "transparent", "color(srgb 0.2 0.3 0 / 0)"]) assert.ok(!seen(color), color);
  for (const color of ["rgb(194, 78, 0)", "rgba(0, 0, 0, 0.5)", "color(srgb 0 0 0 / 0.07)"]) assert.ok(seen(color), color);
});
