// The axes of a picture on a canvas: from numbers to pixels and back, and what stands beside them.

const EVEN = [2, 5, 10];
const PER_TICK = { x: 80, y: 40 }; // pixels from number to number, more or less
const LEAST = 20;

// A number as the language writes it: `separators` are its sign before the decimals, and the one
// between thousands. `plus` is put before what is not negative.
export function numeral(value, digits, separators, plus = "") {
  const text = Math.abs(value).toFixed(digits);
  const sign = value < 0 && Number(text) > 0 ? "−" : plus;
  return sign + text.replace(".", separators[0]);
}

// Numbers at even steps between two, for a length in pixels: places and how they are written.
export function evenTicks([from, to], length, letter, separators) {
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  const count = Math.max(Math.min(4, length / LEAST), Math.min(9, length / PER_TICK[letter])) + 1;
  const rough = (high - low) / count;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * EVEN.find((even) => rough <= power * even * (1 + 1e-9));
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at++) {
    ticks.push([at * step, written(at, step, digits, separators)]);
  }
  return ticks;
}

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const raised = (power) => (power < 0 ? "⁻" : "") + Array.from(String(Math.abs(power)), (digit) => RAISED[digit]).join("");

function written(at, step, digits, separators) {
  if (at === 0) return "0";
  if (!digits) return numeral(at * step, 0, separators).replaceAll(/\B(?=(\d{3})+$)/g, separators[1] ?? "");
  if (digits <= 5) return numeral(at * step, digits, separators).replace(/\D?0+$/, "");
  const [number, power] = (at * step).toExponential(1).split("e");
  return `${numeral(Number(number), Number.isInteger(Number(number)) ? 0 : 1, separators)}·10${raised(Number(power))}`;
}

export class Axis {
  // `pixels`: where the axis begins and ends on the screen; `extent`: the least and the most of
  // what is drawn on it; `view`: the part that somebody has zoomed into.
  constructor(letter, layout, pixels, extent, view, separators) {
    Object.assign(this, { letter, layout, pixels, separators });
    const { range, autorange } = layout;
    this.range = view ?? range ?? (autorange === "reversed" ? [extent[1], extent[0]] : extent);
  }

  pixel(value) {
    const [from, to] = this.range;
    const [start, end] = this.pixels;
    return start + ((value - from) / (to - from)) * (end - start);
  }

  value(pixel) {
    const [from, to] = this.range;
    const [start, end] = this.pixels;
    return from + ((pixel - start) / (end - start)) * (to - from);
  }

  // What is written beside the axis: places in pixels, and texts.
  get ticks() {
    const { showticklabels, tickvals } = this.layout;
    if (showticklabels === false) return [];
    const [start, end] = this.pixels;
    const all = tickvals ? tickvals.map((value) => [value, this.nameOf(value)])
      : evenTicks(this.range, Math.abs(end - start), this.letter, this.separators);
    return all.map(([value, text]) => [this.pixel(value), text]).filter(
      ([place]) => place >= Math.min(start, end) - 0.5 && place <= Math.max(start, end) + 0.5,
    );
  }

  // What a place on the axis is called.
  nameOf(value) {
    const { tickvals, ticktext } = this.layout;
    const at = tickvals?.findIndex((tick) => Math.abs(tick - value) < 1e-6) ?? -1;
    if (at >= 0 && ticktext) return ticktext[at];
    return numeral(value, Number.isInteger(value) ? 0 : 2, this.separators);
  }
}
