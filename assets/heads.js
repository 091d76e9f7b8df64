// Every head of one attention: thumbnails of all layers, and one layer as lines between tokens.
// Weights come as bytes: 0 is a weight of exactly 0, 1 … 255 stand for weights up to `top`.

const LEVELS = 24; // strengths of a line; all lines of one head and strength are one stroke

function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { ...data, weights: bytes.subarray(4 + length) };
}

function same(a, b) {
  return a?.length === b.length && a.every((value, n) => value === b[n]);
}

class Heads {
  constructor(root) {
    this.root = root;
    this.grid = root.querySelector(".model-view");
    this.toggles = root.querySelector(".head-toggles");
    this.canvas = root.querySelector(".lines");
    this.columns = [root.querySelector(".queries"), root.querySelector(".keys")];
    this.on = new Set(); // heads whose lines are drawn
    this.pinned = null; // {side, at}: the token whose lines alone are shown
    this.hovered = null;
    new ResizeObserver(() => this.data && this.drawLines()).observe(root.querySelector(".head-view"));
  }

  at(layer, head) {
    const { queries, keys, heads, weights } = this.data;
    const size = queries.length * keys.length;
    const from = (layer * heads + head) * size;
    return weights.subarray(from, from + size);
  }

  show(data) {
    const old = this.data;
    this.data = data;
    if (old?.head !== data.head || old.heads !== data.heads) this.focus(data.head);
    const tokens = (from) => from && JSON.stringify([from.queries, from.keys]);
    if (tokens(old) !== tokens(data)) {
      this.pinned = this.hovered = null;
      this.drawTokens();
    }
    this.drawModel();
    this.drawToggles();
    this.drawLines();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  focus(head) {
    const { heads } = this.data;
    this.on = new Set([...this.on].filter((other) => other < heads));
    if (this.on.size <= 1) this.on.clear();
    this.on.add(head);
  }

  pick(layer, head) {
    this.data.layer = layer;
    this.data.head = head;
    this.focus(head);
    this.markFocus();
    this.drawToggles();
    this.drawLines();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
    this.picked({ layer, head });
  }

  drawModel() {
    const { layers, heads, queries, keys, colors } = this.data;
    const wanted = layers * heads;
    this.grid.style.setProperty("--heads", heads);
    while (this.grid.children.length > wanted) this.grid.lastChild.remove();
    while (this.grid.children.length < wanted) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(document.createElement("canvas"));
      button.addEventListener("click", () => this.pick(...button.place));
      this.grid.append(button);
    }
    const palette = new Uint32Array(colors.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r));
    [...this.grid.children].forEach((button, n) => {
      button.place = [Math.floor(n / heads), n % heads];
      const [layer, head] = button.place;
      const canvas = button.firstChild;
      canvas.width = keys.length;
      canvas.height = queries.length;
      const image = canvas.getContext("2d").createImageData(keys.length, queries.length);
      const pixels = new Uint32Array(image.data.buffer);
      this.at(layer, head).forEach((weight, cell) => { pixels[cell] = palette[weight]; });
      canvas.getContext("2d").putImageData(image, 0, 0);
      button.setAttribute("aria-label", `layer ${layer + 1}, head ${head + 1}`);
      button.title = `layer ${layer + 1}, head ${head + 1}`;
    });
    this.markFocus();
  }

  markFocus() {
    const { heads, layer, head } = this.data;
    [...this.grid.children].forEach((button, n) => {
      button.setAttribute("aria-pressed", String(n === layer * heads + head));
      button.classList.toggle("in-layer", Math.floor(n / heads) === layer);
    });
  }

  drawToggles() {
    const { heads, hues, layer } = this.data;
    this.root.querySelector(".head-view h3").textContent = `Layer ${layer + 1}`;
    const buttons = [...Array(heads).keys()].map((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = String(head + 1);
      button.title = `Head ${head + 1}: click to switch it, double-click to see it alone`;
      button.setAttribute("aria-label", `head ${head + 1}`);
      button.setAttribute("aria-pressed", String(this.on.has(head)));
      button.style.setProperty("--hue", hues[head % hues.length]);
      button.addEventListener("click", () => {
        if (!this.on.delete(head)) this.on.add(head);
        button.setAttribute("aria-pressed", String(this.on.has(head)));
        this.drawLines();
      });
      button.addEventListener("dblclick", () => {
        this.on = new Set([head]);
        this.drawToggles();
        this.drawLines();
      });
      return button;
    });
    const all = document.createElement("button");
    all.type = "button";
    all.textContent = "all";
    all.className = "all";
    all.addEventListener("click", () => {
      this.on = new Set(this.on.size < heads ? Array(heads).keys() : [this.data.head]);
      this.drawToggles();
      this.drawLines();
    });
    const focused = [...this.toggles.children].indexOf(document.activeElement);
    this.toggles.replaceChildren(...buttons, all);
    if (focused >= 0) this.toggles.children[focused]?.focus();
  }

  drawTokens() {
    const { queries, keys } = this.data;
    this.row = Math.max(queries.length, keys.length) > 40 ? 14 : 22;
    this.root.style.setProperty("--row", `${this.row}px`);
    [queries, keys].forEach((words, side) => {
      this.columns[side].replaceChildren(...words.map((word, at) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = word;
        const isolate = (value) => () => { this.hovered = value; this.drawLines(); };
        button.addEventListener("mouseenter", isolate({ side, at }));
        button.addEventListener("focus", isolate({ side, at }));
        button.addEventListener("mouseleave", isolate(null));
        button.addEventListener("blur", isolate(null));
        button.addEventListener("click", () => {
          const again = this.pinned?.side === side && this.pinned.at === at;
          this.pinned = again ? null : { side, at };
          this.drawLines();
        });
        return button;
      }));
    });
  }

  drawLines() {
    const { queries, keys, heads, hues, layer, top } = this.data;
    const only = this.hovered ?? this.pinned;
    const width = this.canvas.parentElement.clientWidth;
    const height = Math.max(queries.length, keys.length) * this.row;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, width * scale);
    this.canvas.height = height * scale;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.lineWidth = 2;
    const strongest = [new Float32Array(queries.length), new Float32Array(keys.length)];
    for (let head = 0; head < heads; head++) {
      if (!this.on.has(head)) continue;
      const weights = this.at(layer, head);
      const paths = [];
      for (let query = 0; query < queries.length; query++) {
        if (only?.side === 0 && only.at !== query) continue;
        for (let key = 0; key < keys.length; key++) {
          if (only?.side === 1 && only.at !== key) continue;
          const weight = weights[query * keys.length + key];
          if (weight < 3) continue; // a line this faint would not be seen
          const path = (paths[Math.ceil((weight / 255) * LEVELS)] ??= new Path2D());
          path.moveTo(0, (query + 0.5) * this.row);
          path.lineTo(width, (key + 0.5) * this.row);
          strongest[0][query] = Math.max(strongest[0][query], (top * weight) / 255);
          strongest[1][key] = Math.max(strongest[1][key], (top * weight) / 255);
        }
      }
      context.strokeStyle = hues[head % hues.length];
      paths.forEach((path, level) => {
        context.globalAlpha = level / LEVELS;
        context.stroke(path);
      });
    }
    this.columns.forEach((column, side) => {
      [...column.children].forEach((button, at) => {
        const chosen = only?.side === side && only.at === at;
        button.classList.toggle("chosen", chosen);
        const shade = only && only.side !== side ? strongest[side][at] : 0;
        button.style.setProperty("--shade", shade.toFixed(2));
        button.dataset.weight = shade >= 0.01 ? shade.toFixed(2).slice(1) : "";
      });
    });
  }
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".heads");
  root.heads ??= new Heads(root);
  root.heads.picked = (place) => setTriggerValue("picked", place);
  if (same(root.bytes, bytes)) return;
  root.bytes = bytes.slice();
  const data = unpack(root.bytes);
  root.querySelector(".model-view").setAttribute("aria-label", data.alt);
  root.heads.show(data);
}
