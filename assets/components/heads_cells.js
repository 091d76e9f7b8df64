// The cells of the small pictures of heads: a line below them says which one the mouse points at,
// or which one the arrow keys have reached. All pictures are one stop of the Tab key.

import { point, whenPointed } from "./pointing.js";
import { fill, make, numeral } from "./texts.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const within = (at, length) => Math.max(0, Math.min(at, length - 1));

export class HeadCells {
  constructor(heads) {
    this.heads = heads;
    this.line = heads.root.querySelector(".cell-in-words");
    this.ring = make("span", { className: "cell-ring" });
    this.at = { row: 0, column: 0 };
    whenPointed(heads.root, this, (cell) => this.mark(cell));
    heads.grids.addEventListener("keydown", (event) => this.press(event));
    heads.grids.addEventListener("focusout", () => this.ring.isConnected && this.leave());
    heads.grids.addEventListener("mousemove", (event) => this.point(event));
    heads.grids.addEventListener("mouseleave", () => this.pointed && this.leave());
  }

  // After every drawing: the words and weights of the cell may have changed.
  redrawn() {
    if (this.ring.isConnected) this.walk(this.ring.parentElement, 0, 0);
    else if (this.pointed?.isConnected) this.say(this.pointed);
    else this.leave();
  }

  // The Tab key leads to the picture where the focus is, or to that of the chosen head.
  stopAt() {
    const all = [...this.heads.grids.querySelectorAll("button")];
    const stop = all.find((small) => small === document.activeElement)
      ?? all.find((small) => small.ariaPressed === "true") ?? all[0];
    for (const small of all) small.tabIndex = small === stop ? 0 : -1;
  }

  press(event) {
    const small = event.target.closest("button");
    const step = STEPS[event.key];
    if (!small || event.altKey || event.metaKey || (event.ctrlKey && !step)) return;
    if (step) this.step(small, ...step, event.ctrlKey);
    else if (event.key === "Home") this.walk(small, -Infinity, 0);
    else if (event.key === "End") this.walk(small, Infinity, 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
    document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // One cell on, over the edge into the next head; with Ctrl to the same cell of the next head.
  step(small, across, down, leaps) {
    if (this.ring.parentElement !== small && !leaps) return this.walk(small, 0, 0);
    const { queries, keys } = this.stackOf(small);
    const [row, column] = [this.at.row + down, this.at.column + across];
    const inside = within(row, queries.length) === row && within(column, keys.length) === column;
    if (inside && !leaps) return this.walk(small, across, down);
    const next = this.beside(small, across, down);
    if (!next) return;
    const { row: before, column: beside } = this.at;
    next.focus();
    if (!leaps) this.at = { row: down ? -down * Infinity : before, column: across ? -across * Infinity : beside };
    this.walk(next, 0, 0);
    this.stopAt();
  }

  // The next picture on that side: another head, another layer, or the next kind of attention.
  beside(small, across, down) {
    const { kind, layer, head } = small.place;
    const { stacks } = this.heads.data;
    const at = stacks.findIndex((stack) => stack.kind === kind);
    const over = layer + down < 0 || layer + down >= stacks[at].layers;
    const there = over ? stacks[at + down] : stacks[at];
    const row = over ? (down > 0 ? 0 : there?.layers - 1) : layer + down;
    const place = [there?.kind, row, head + across];
    return [...this.heads.grids.querySelectorAll("button")].find(
      ({ place: other }) => [other.kind, other.layer, other.head].every((part, n) => part === place[n]));
  }

  walk(small, across, down) {
    const { queries, keys } = this.stackOf(small);
    const row = within(this.at.row + down, queries.length);
    const column = within(this.at.column + across, keys.length);
    this.at = { row, column };
    this.pointed = null;
    this.place(this.ring, { row, column, rows: queries.length, columns: keys.length });
    if (this.ring.parentElement !== small) small.append(this.ring);
    this.say(small);
  }

  point({ target, offsetX, offsetY }) {
    if (!(target instanceof HTMLCanvasElement)) return;
    this.ring.remove();
    this.pointed = target.parentElement;
    const { queries, keys } = this.stackOf(this.pointed);
    this.at = {
      row: Math.floor((offsetY / target.clientHeight) * queries.length),
      column: Math.floor((offsetX / target.clientWidth) * keys.length),
    };
    this.say(this.pointed);
  }

  // The weight comes from one byte: two decimals are as many as it has.
  say(small) {
    const { layer, head } = small.place;
    const stack = this.stackOf(small);
    const row = within(this.at.row, stack.queries.length);
    const column = within(this.at.column, stack.keys.length);
    const byte = this.heads.at(stack, layer, head)[row * stack.keys.length + column];
    const weight = (stack.top * (byte - 1)) / 254;
    const { texts, decimal } = this.heads.data;
    const cell = { pair: stack.kind, row, column, rows: stack.queries.length, columns: stack.keys.length };
    point(cell, this);
    this.mark(cell);
    const written = weight < 0.005 ? texts.faint : fill(texts.weight, { weight: numeral(weight, 2, decimal) });
    this.write(fill(texts.cell, {
      attention: stack.short,
      layer: layer + 1,
      head: head + 1,
      query: stack.queries[row],
      key: stack.keys[column],
      weight: byte === 0 ? texts.masked : written,
    }));
  }

  leave() {
    this.ring.remove();
    this.pointed = null;
    point(null, this);
    this.mark(null);
    this.write(this.hint);
  }

  place(ring, { row, column, rows, columns }) {
    Object.assign(ring.style, {
      left: `${(100 * column) / columns}%`,
      top: `${(100 * row) / rows}%`,
      width: `${100 / columns}%`,
      height: `${100 / rows}%`,
    });
  }

  // The same cell in every head of its attention.
  mark(cell) {
    const { grids } = this.heads;
    for (const old of grids.querySelectorAll(".same-cell")) old.remove();
    if (!cell || !this.heads.data) return;
    const stack = this.heads.data.stacks.find(({ kind }) => kind === cell.pair);
    if (stack?.queries.length !== cell.rows || stack.keys.length !== cell.columns) return;
    for (const small of grids.querySelectorAll("button")) {
      if (small.place.kind !== cell.pair || small === this.ring.parentElement) continue;
      const ring = make("span", { className: "cell-ring same-cell" });
      this.place(ring, cell);
      small.append(ring);
    }
  }

  // The text is spoken when it changes; the hint is not.
  write(text) {
    if (this.line.textContent === text) return;
    this.line.ariaLive = text === this.hint ? "off" : "polite";
    this.line.textContent = text;
  }

  get hint() {
    return this.heads.data.texts.hint;
  }

  stackOf(small) {
    return this.heads.data.stacks.find(({ kind }) => kind === small.place.kind);
  }
}
