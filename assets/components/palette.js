// A colour for each byte, as red, green, blue and opacity: 1 … 255 are even steps through a scale,
// whose stops are [place, "#rrggbb"]; 0 is masked, and lets through what is behind it.

export function palette(stops) {
  const channels = (color) => [1, 3, 5].map((n) => parseInt(color.slice(n, n + 2), 16));
  return [[0, 0, 0, 0], ...Array.from({ length: 255 }, (_, n) => {
    const place = n / 254;
    const above = Math.max(1, stops.findIndex(([at]) => at >= place));
    const [[from, low], [to, high]] = [stops[above - 1], stops[above]];
    const share = (place - from) / (to - from);
    const [a, b] = [channels(low), channels(high)];
    return [...a.map((value, i) => Math.round(value + share * (b[i] - value))), 255];
  })];
}

// The same for the pixels of a canvas.
export const pixelsOf = (stops) => Uint32Array.from(palette(stops), ([red, green, blue, alpha]) => (
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0));
