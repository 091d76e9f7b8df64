// One layer of an attention as lines between its tokens: as many of its heads as somebody wants.

import { button, unpack } from "./heads_data.js";
import { oneStop } from "./one_stop.js";
import { whenPointed } from "./pointing.js";
import { fill, numeral } from "./texts.js";

// The share of light that passes each depth, in steps.
const FINE = 256; // steps for a depth of 1
const THROUGH = Float32Array.from({ length: 8 * FINE }, (_, at) => Math.exp(-at / FINE));

// Adds a line from the left edge to the right, one pixel thick: `lay` makes it two.
function trace(depth, width, alpha, from, to) {
  const thick = -Math.log1p(-alpha);
  const steps = Math.max(width, Math.abs(to - from) / 1.5) | 0;
  const down = (to - from) / steps;
  const across = width / steps;
  let y = from - 1;
  let x = 0;
  for (let step = 0; step < steps; step++) {
    const row = y | 0;
    const lower = thick * (y - row);
    const at = row * width + (x | 0);
    depth[at] += thick - lower;
    depth[at + width] += lower;
    y += down;
    x += across;
  }
}

// Lays the lines into an image, in one colour.
function lay(image, depth, width, hue) {
  const [red, green, blue] = [1, 3, 5].map((n) => parseInt(hue.slice(n, n + 2), 16));
  for (let n = 0, at = 0; n < image.length; n += 4, at++) {
    const deep = at < width ? depth[at] : depth[at] + depth[at - width];
    if (deep === 0) continue;
    const through = THROUGH[Math.min(THROUGH.length - 1, (deep * FINE + 0.5) | 0)];
    image[n] = red;
    image[n + 1] = green;
    image[n + 2] = blue;
    image[n + 3] = 255 * (1 - through);
  }
}

class HeadLines {
  constructor(root) {
    this.root = root;
    this.toggles = root.querySelector(".head-toggles");
    this.canvas = root.querySelector(".lines");
    this.columns = [root.querySelector(".queries"), root.querySelector(".keys")];
    this.on = new Set(); // heads with visible lines
    this.focus = null; // {kind, layer, head}
    this.pinned = null; // {side, at}: the only token with visible lines
    this.hovered = null;
    whenPointed(root, this, (cell) => this.mark(cell));
    new ResizeObserver(() => this.data && this.drawLines()).observe(root.querySelector(".columns"));
  }

  resize() {
    this.words = null; // the height of a row follows from the size of the type
    this.show(this.data);
  }

  show(data) {
    const { kind, head } = this.focus ?? {};
    [this.data, this.focus, this.stack] = [data, data.focus, data.stacks[0]];
    if (kind !== this.focus.kind) this.pinned = this.hovered = null;
    this.on = new Set([...this.on].filter((other) => other < data.heads));
    if (head !== this.focus.head || this.on.size === 0) {
      if (this.on.size <= 1) this.on.clear(); // a single head moves with the focus
      this.on.add(this.focus.head);
    }
    this.root.querySelector("h3").textContent = fill(
      data.texts.layer, { attention: this.stack.name, layer: this.focus.layer + 1 },
    );
    this.root.querySelector(".head-view").style.setProperty("--hue", this.stack.hue);
    this.drawToggles();
    this.drawTokens();
    this.drawLines();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  // The words of a cell that another picture points at.
  mark(cell) {
    for (const old of this.root.querySelectorAll(".pointed")) old.classList.remove("pointed");
    if (cell?.pair !== this.focus?.kind) return;
    this.columns[0].children[cell.row]?.classList.add("pointed");
    this.columns[1].children[cell.column]?.classList.add("pointed");
  }

  drawToggles() {
    const { heads, texts } = this.data;
    this.toggles.setAttribute("aria-label", texts.toggles);
    if (this.toggles.children.length !== heads + 1) this.makeToggles(heads);
    [...this.toggles.children].forEach((toggle, head) => {
      if (head === heads) {
        toggle.textContent = texts.all;
        return;
      }
      toggle.title = fill(texts.toggle, { head: head + 1 });
      toggle.setAttribute("aria-label", fill(texts.lines, { head: head + 1 }));
      toggle.setAttribute("aria-pressed", String(this.on.has(head)));
    });
  }

  makeToggles(heads) {
    const switching = (act) => () => {
      act();
      this.drawToggles();
      this.drawLines();
    };
    this.toggles.replaceChildren(...[...Array(heads + 1).keys()].map((head) => button(String(head + 1))));
    const [all, ...toggles] = [...this.toggles.children].toReversed();
    toggles.toReversed().forEach((toggle, head) => {
      toggle.onclick = switching(() => this.on.delete(head) || this.on.add(head));
      toggle.ondblclick = switching(() => { this.on = new Set([head]); });
    });
    all.onclick = switching(() => {
      this.on = new Set(this.on.size < this.data.heads ? Array(this.data.heads).keys() : [this.focus.head]);
    });
    oneStop(this.toggles);
  }

  drawTokens() {
    const { queries, keys } = this.stack;
    const words = JSON.stringify([queries, keys]);
    if (this.words === words) return;
    this.words = words;
    this.pinned = this.hovered = null;
    const type = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.row = type * (Math.max(queries.length, keys.length) > 40 ? 15 : 22);
    this.root.style.setProperty("--row", `${this.row}px`);
    [queries, keys].forEach((tokens, side) => {
      this.columns[side].replaceChildren(...tokens.map((token, at) => {
        const element = button(token);
        const isolate = (value) => () => {
          this.hovered = value;
          this.drawLines();
        };
        element.addEventListener("mouseenter", isolate({ side, at }));
        element.addEventListener("focus", isolate({ side, at }));
        element.addEventListener("mouseleave", isolate(null));
        element.addEventListener("blur", isolate(null));
        element.addEventListener("click", () => {
          const again = this.pinned?.side === side && this.pinned.at === at;
          this.pinned = again ? null : { side, at };
          this.drawLines();
        });
        return element;
      }));
      oneStop(this.columns[side]);
    });
  }

  // Numbers for each pixel, kept from one drawing to the next: new memory would take as long again.
  room(width, height) {
    if (this.kept?.width !== width || this.kept.height !== height) {
      this.kept = { width, height, depth: new Float32Array(width * (height + 2)) };
    }
    return this.kept.depth;
  }

  // Draws all lines into one picture. They have one colour, so their depths are summed first.
  // Separate strokes for the 32,768 lines of 64 tokens and 8 heads would take ten
  // times as long.
  drawLines() {
    const { heads } = this.data;
    const { stack } = this;
    const { queries, keys, top } = stack;
    const only = this.hovered ?? this.pinned;
    const lines = this.on.size * queries.length * keys.length;
    const width = Math.max(2, Math.min(this.canvas.parentElement.clientWidth, Math.max(240, 4e6 / lines)) | 0);
    const height = Math.max(queries.length, keys.length) * this.row;
    this.canvas.width = width;
    this.canvas.height = height;
    this.canvas.style.height = `${height}px`;
    const strongest = [new Float32Array(queries.length), new Float32Array(keys.length)];
    const depth = this.room(width, height);
    depth.fill(0);
    for (let head = 0; head < heads; head++) {
      if (!this.on.has(head)) continue;
      const weights = stack.weights.subarray(head * stack.size, (head + 1) * stack.size);
      for (let query = 0; query < queries.length; query++) {
        if (only?.side === 0 && only.at !== query) continue;
        for (let key = 0; key < keys.length; key++) {
          if (only?.side === 1 && only.at !== key) continue;
          const weight = weights[query * keys.length + key];
          if (weight < 2) continue;
          trace(depth, width, weight / 256, (query + 0.5) * this.row, (key + 0.5) * this.row);
          const real = (top * (weight - 1)) / 254;
          strongest[0][query] = Math.max(strongest[0][query], real);
          strongest[1][key] = Math.max(strongest[1][key], real);
        }
      }
    }
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    const image = context.createImageData(width, height);
    lay(image.data, depth, width, stack.hue);
    context.putImageData(image, 0, 0);
    this.columns.forEach((column, side) => {
      [...column.children].forEach((element, at) => {
        element.classList.toggle("chosen", only?.side === side && only.at === at);
        const pinned = this.pinned?.side === side && this.pinned.at === at;
        element.setAttribute("aria-pressed", String(pinned));
        const weight = only && only.side !== side ? strongest[side][at] : 0;
        element.style.setProperty("--shade", weight.toFixed(2));
        element.dataset.weight = weight >= 0.005 ? numeral(weight, 2, this.data.decimal) : "";
      });
    });
  }
}

// Presenter mode has larger type.
window.addEventListener("presenting", () => {
  for (const root of document.querySelectorAll(".heads")) root.lines?.resize();
});

export default function ({ data, isNew, root }) {
  root.lines ??= new HeadLines(root);
  if (isNew) root.lines.show(unpack(data.slice()));
}
