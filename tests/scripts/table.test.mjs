import assert from "node:assert/strict";
import test from "node:test";

import { needsBlackText } from "../../assets/components/table.js";

test("black stands on light colours and white on dark ones", () => {
  // On the grey #767676 white has a contrast of 4.54, so black has 21 / 4.54 = 4.62; a shade below,
  // white has 4.61, and black 4.56.
  assert.deepEqual([0x76, 0x75].map((grey) => needsBlackText([grey, grey, grey])), [true, false]);
  // Green is the brightest of the three, and blue the darkest.
  assert.deepEqual([[0, 255, 0], [0, 0, 255]].map(needsBlackText), [true, false]);
});
