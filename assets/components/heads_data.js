// What the map of heads and the view of lines share. Weights come as bytes: 0 is masked, 1 … 255 are
// weights from 0 up to the stack's `top`.

import { make } from "./texts.js";

export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let from = 4 + length;
  for (const stack of data.stacks) {
    stack.size = stack.queries.length * stack.keys.length;
    const all = stack.layers * data.heads * stack.size;
    stack.weights = bytes.subarray(from, from + all);
    from += all;
  }
  return data;
}

export function button(text, label) {
  return make("button", { type: "button", ...(label && { ariaLabel: label }) }, text);
}
