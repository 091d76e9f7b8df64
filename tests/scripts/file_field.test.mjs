import assert from "node:assert/strict";
import test from "node:test";

import { refusal } from "../../assets/components/file_field.js";

const MIB = 2 ** 20;
const texts = { kind: "kind", many: "many", large: "{size} of {most}" };
const file = (name, size = 1) => ({ name, size });

test("files are sent that are few, small and of the kind that is asked for", () => {
  const field = { types: [".txt"], count: 2, most: MIB, texts };
  assert.equal(refusal([], field), "");
  assert.equal(refusal([file("a.txt", MIB - 1), file("B.TXT")], field), "");
  assert.equal(refusal([file("a.txt"), file("b.txt.doc")], field), "kind");
  assert.equal(refusal([file("a.txt"), file("b.txt"), file("c.txt")], field), "many");
  assert.equal(refusal([file("a.txt", MIB), file("b.txt")], field), "2 of 1");
  assert.equal(refusal([file("whatever")], { ...field, types: [] }), "");
});
