import assert from "node:assert/strict";
import test from "node:test";

import { refusal } from "../../assets/components/file_field.js";

const MIB = 2 ** 20;
const texts = { many: "many", large: "{size} of {most}" };
const file = (name, size = 1) => ({ name, size });

test("files are sent that are few and small", () => {
  const field = { count: 2, most: MIB, texts };
  assert.equal(refusal([], field), "");
  assert.equal(refusal([file("a.txt", MIB - 1), file("B.TXT")], field), "");
  assert.equal(refusal([file("a.txt"), file("b.txt"), file("c.txt")], field), "many");
  assert.equal(refusal([file("a.txt", MIB), file("b.txt")], field), "2 of 1");
});
