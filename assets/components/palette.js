// The colour of a scale at a share, as red, green and blue; its stops are [place, "#rrggbb"].
export function shade(stops, at) {
  const place = Math.min(1, Math.max(0, at));
  const above = Math.max(1, stops.findIndex(([end]) => end >= place));
  const [[from, low], [to, high]] = [stops[above - 1], stops[above]];
  const share = (place - from) / (to - from);
  const [a, b] = [low, high].map((color) => [1, 3, 5].map((n) => parseInt(color.slice(n, n + 2), 16)));
  return a.map((value, n) => Math.round(value + share * (b[n] - value)));
}

// A colour for each byte, as red, green, blue and opacity: 1 … 255 are even steps through a scale; 0
// is masked, and lets through what is behind it.
export const palette = (stops) => [
  [0, 0, 0, 0], ...Array.from({ length: 255 }, (_, n) => [...shade(stops, n / 254), 255])];

// The same for the pixels of a canvas.
export const pixelsOf = (stops) => Uint32Array.from(palette(stops), ([red, green, blue, alpha]) => (
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0));

// Paints bytes in lines of so many columns, a pixel for each; `colors` are `pixelsOf` a scale.
export function paint(canvas, bytes, columns, colors) {
  Object.assign(canvas, { width: columns, height: bytes.length / columns });
  const image = new ImageData(columns, canvas.height);
  new Uint32Array(image.data.buffer).set(Array.from(bytes, (byte) => colors[byte]));
  canvas.getContext("2d").putImageData(image, 0, 0);
}
