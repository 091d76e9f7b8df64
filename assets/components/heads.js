// A thumbnail of every head of every layer, and one layer as lines between tokens. Weights come as
// bytes: 0 is masked, 1 … 255 are weights from 0 up to the stack's `top`.

// The address of every script ends with its version.
const { HeadCells } = await import(new URL("heads_cells.js", import.meta.url) + new URL(import.meta.url).search);
const { oneStop } = await import(new URL("one_stop.js", import.meta.url) + new URL(import.meta.url).search);
const { pixelsOf } = await import(new URL("palette.js", import.meta.url) + new URL(import.meta.url).search);
const { fill, numeral } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

function unpack(bytes) {
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

function same(a, b) {
  return a?.length === b.length && a.every((value, n) => value === b[n]);
}

function button(text, label) {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  if (label) element.setAttribute("aria-label", label);
  return element;
}

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

class Heads {
  constructor(root) {
    this.root = root;
    this.grids = root.querySelector(".model-view");
    this.toggles = root.querySelector(".head-toggles");
    this.canvas = root.querySelector(".lines");
    this.columns = [root.querySelector(".queries"), root.querySelector(".keys")];
    this.on = new Set(); // heads with visible lines
    this.focus = null; // {kind, layer, head}, once the page has set it
    this.pinned = null; // {side, at}: the only token with visible lines
    this.hovered = null;
    this.cells = new HeadCells(this);
    const follow = ({ detail }) => {
      if (root.isConnected) this.setFocus(detail);
      else document.removeEventListener("heads-focus", follow);
    };
    document.addEventListener("heads-focus", follow);
    new ResizeObserver(() => this.data && this.focus && this.drawLines()).observe(root.querySelector(".columns"));
  }

  resize() {
    if (!this.focus) return;
    this.words = null; // the height of a row follows from the size of the type
    this.setFocus(this.focus);
  }

  get stack() {
    return this.data.stacks.find(({ kind }) => kind === this.focus.kind);
  }

  at(stack, layer, head) {
    const from = (layer * this.data.heads + head) * stack.size;
    return stack.weights.subarray(from, from + stack.size);
  }

  show(data) {
    this.data = data;
    this.drawModel();
    this.cells.redrawn();
    if (this.focus) this.setFocus(this.focus);
  }

  // Moves the focus, as set elsewhere on the page or by a click here.
  setFocus(focus) {
    const { kind, head } = this.focus ?? {};
    this.focus = focus;
    if (!this.data) return;
    if (kind !== focus.kind) this.pinned = this.hovered = null;
    this.on = new Set([...this.on].filter((other) => other < this.data.heads));
    if (head !== focus.head || this.on.size === 0) {
      if (this.on.size <= 1) this.on.clear(); // a single head moves with the focus
      this.on.add(focus.head);
    }
    this.markFocus();
    this.drawToggles();
    this.drawTokens();
    this.drawLines();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  drawModel() {
    const { stacks, heads, hatch, texts } = this.data;
    this.root.style.setProperty("--hatch", hatch);
    const shape = JSON.stringify([heads, stacks.map(({ kind, layers }) => [kind, layers]), texts]);
    if (this.shape !== shape) {
      this.shape = shape;
      this.grids.replaceChildren(...stacks.map((stack) => this.emptyGrid(stack)));
    }
    stacks.forEach((stack, n) => {
      const colors = pixelsOf(stack.colors);
      this.grids.children[n].style.setProperty("--hue", stack.hue);
      const thumbnails = this.grids.children[n].querySelectorAll("button");
      thumbnails.forEach((thumbnail) => {
        const { layer, head } = thumbnail.place;
        const canvas = thumbnail.firstChild;
        canvas.width = stack.keys.length;
        canvas.height = stack.queries.length;
        const context = canvas.getContext("2d");
        const image = context.createImageData(canvas.width, canvas.height);
        const pixels = new Uint32Array(image.data.buffer);
        this.at(stack, layer, head).forEach((weight, cell) => { pixels[cell] = colors[weight]; });
        context.putImageData(image, 0, 0);
      });
    });
  }

  emptyGrid({ kind, layers, name, short, label }) {
    const section = document.createElement("section");
    section.setAttribute("aria-label", label);
    const title = document.createElement("h3");
    title.textContent = name;
    const grid = document.createElement("div");
    grid.className = `grid ${kind}`;
    grid.style.setProperty("--heads", this.data.heads);
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < this.data.heads; head++) {
        const place = { attention: short, layer: layer + 1, head: head + 1 };
        const thumbnail = button("", fill(this.data.texts.head, place));
        thumbnail.place = { kind, layer, head };
        if (layer === 0) thumbnail.dataset.head = head + 1;
        if (head === 0) thumbnail.dataset.layer = layer + 1;
        thumbnail.append(document.createElement("canvas"));
        thumbnail.addEventListener("click", () => {
          this.setFocus(thumbnail.place);
          this.picked(thumbnail.place);
        });
        grid.append(thumbnail);
      }
    }
    section.append(title, grid);
    return section;
  }

  markFocus() {
    const { kind, layer, head } = this.focus;
    for (const thumbnail of this.grids.querySelectorAll("button")) {
      const { place } = thumbnail;
      const inLayer = place.kind === kind && place.layer === layer;
      thumbnail.classList.toggle("in-layer", inLayer);
      thumbnail.setAttribute("aria-pressed", String(inLayer && place.head === head));
    }
    this.cells.stopAt();
    this.root.querySelector(".head-view h3").textContent = fill(
      this.data.texts.layer, { attention: this.stack.name, layer: layer + 1 },
    );
    this.root.querySelector(".head-view").style.setProperty("--hue", this.stack.hue);
  }

  drawToggles() {
    const { heads, texts } = this.data;
    this.toggles.setAttribute("aria-label", texts.toggles);
    const redraw = () => {
      this.drawToggles();
      this.drawLines();
    };
    const toggles = [...Array(heads).keys()].map((head) => {
      const toggle = button(String(head + 1), fill(texts.lines, { head: head + 1 }));
      toggle.title = fill(texts.toggle, { head: head + 1 });
      toggle.setAttribute("aria-pressed", String(this.on.has(head)));
      toggle.addEventListener("click", () => {
        if (!this.on.delete(head)) this.on.add(head);
        redraw();
      });
      toggle.addEventListener("dblclick", () => {
        this.on = new Set([head]);
        redraw();
      });
      return toggle;
    });
    const all = button(texts.all);
    all.addEventListener("click", () => {
      this.on = new Set(this.on.size < heads ? Array(heads).keys() : [this.focus.head]);
      redraw();
    });
    if (this.toggles.children.length !== heads + 1) {
      this.toggles.replaceChildren(...toggles, all);
      oneStop(this.toggles);
      return;
    }
    toggles.forEach((toggle, n) => {
      const shown = this.toggles.children[n];
      shown.setAttribute("aria-pressed", toggle.getAttribute("aria-pressed"));
      shown.setAttribute("aria-label", toggle.getAttribute("aria-label"));
      shown.title = toggle.title;
    });
    this.toggles.lastChild.textContent = texts.all;
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
      const weights = this.at(stack, this.focus.layer, head);
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
  for (const root of document.querySelectorAll(".heads")) root.heads?.resize();
});

export default function ({ data: bytes, parentElement, report }) {
  const root = parentElement.querySelector(".heads");
  if (!root.heads) {
    root.heads = new Heads(root);
    const said = document.querySelector(".heads-focus")?.dataset.focus;
    if (said) root.heads.focus = JSON.parse(said);
  }
  root.heads.picked = (place) => report("picked", place);
  if (same(root.bytes, bytes)) return;
  root.bytes = bytes.slice();
  root.heads.show(unpack(root.bytes));
}
