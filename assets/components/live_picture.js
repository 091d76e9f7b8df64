// A picture in the app: clicked, walked by keyboard, saved, and redrawn while its numbers change.

const version = new URL(import.meta.url).search;
const ours = (name) => import(new URL(name, import.meta.url) + version);
const { Cells } = await ours("cells.js");
const { Picture } = await ours("picture.js");
const { point, whenPointed } = await ours("pointing.js");
const { svgPng } = await ours("svg_png.js");

const DOUBLE = 300; // milliseconds in which a second click may come
const ICONS = {
  save: "M4 7h3l2-2h6l2 2h3v12H4z M12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
  whole: "M4 10V4h6M20 10V4h-6M4 14v6h6M20 14v6h-6",
};

function iconButton(icon, parent) {
  const button = document.createElement("button");
  button.className = icon;
  button.hidden = true;
  button.type = "button";
  button.tabIndex = -1; // by keyboard, pictures are saved at the foot of the page
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  parent.append(button);
  return button;
}

// The text of a tapped cell stays until the next tap elsewhere.
document.addEventListener("pointerdown", ({ target }) => {
  for (const { picture } of document.querySelectorAll(".plot")) {
    if (!picture || picture.plot.contains(target)) continue;
    picture.tapped = null;
    picture.tell(null);
  }
});

export class LivePicture extends Picture {
  constructor(plot) {
    super(plot);
    this.label.ariaHidden = "true"; // what is in focus is spoken
    whenPointed(plot, this, (cell) => this.mark(cell));
    this.plot = plot;
    const tools = document.createElement("div");
    tools.className = "tools";
    plot.append(tools);
    this.whole = iconButton("whole", tools);
    this.save = iconButton("save", tools);
    this.cells = new Cells(this);
    this.whole.addEventListener("click", () => this.look(null));
    this.save.addEventListener("click", () => this.download());
    this.drawing.addEventListener("click", (event) => this.click(event));
  }

  // Draws; a picture of the same kind keeps its zoomed part.
  redraw(drawn, texts, width, times) {
    Object.assign(this, { texts, fileName: drawn.fileName });
    const same = drawn.kind && drawn.kind === this.kind ? this.view : null;
    this.kind = drawn.kind;
    this.name(this.save, texts.save);
    this.name(this.whole, texts.whole);
    this.save.hidden = false;
    this.show(drawn, width, times);
    if (same) this.look(same);
    this.redrawn();
  }

  name(button, text) {
    button.title = text;
    button.setAttribute("aria-label", text);
  }

  fit(width) {
    super.fit(width);
    if (this.cells) this.redrawn();
  }

  look(view) {
    super.look(view);
    this.redrawn();
  }

  redrawn() {
    this.whole.hidden = !this.view;
    if (this.pointer) this.tell(this.find(this.placeOf(this.pointer)));
    else if (this.tapped && this.hover.maps[this.tapped.map]) this.tell(this.cellOf(this.tapped));
    this.cells.redrawn();
  }

  move(event) {
    this.pointer = { clientX: event.clientX, clientY: event.clientY };
    super.move(event);
  }

  leave() {
    super.leave();
    if (!this.dragging) this.pointer = null;
  }

  // The cell of a heatmap by its number; for a blank cell, the one that is visible beneath it.
  cellOf({ map, row, column }) {
    const about = this.hover.maps[map];
    const [left, right, top, bottom] = about.box;
    return this.cellAt([left + ((column + 0.5) / about.columns) * (right - left), top + ((row + 0.5) / about.rows) * (bottom - top)]);
  }

  tell(found) {
    const cell = found?.at ? this.pairOf(found.at) : null;
    super.tell(found);
    if (cell || this.pointing) point(cell, this);
    this.pointing = Boolean(cell);
    if (!found) return "";
    return Array.from(this.label.children, (line) => line.textContent).filter(Boolean).join(", ");
  }

  tellCell(at) {
    return this.tell(this.cellOf(at));
  }

  hides({ map, row, column }) {
    const { columns, rows } = this.maps[map];
    const [x, y] = [(columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2];
    const [[left, right], [top, bottom]] = this.spans;
    return x < left || x > right || y < top || y > bottom;
  }

  // The edges of the area, in pixels.
  get spans() {
    const [from, to] = [[this.left, this.top], [this.left + this.across, this.top + this.down]];
    return [0, 1].map((side) => [from[side] * this.times, to[side] * this.times]);
  }

  click(event) {
    clearTimeout(this.choosing);
    if (this.moved || event.detail > 1) return; // the second click of two
    const found = this.find(this.placeOf(event));
    if (event.pointerType === "touch") [this.pointer, this.tapped] = [null, found?.at];
    this.tell(found);
    if (!found) return;
    // In a zoomed part, a double click leaves it, and chooses nothing.
    if (this.view) this.choosing = setTimeout(() => this.pick(found), DOUBLE);
    else this.pick(found);
  }

  choose(at) {
    this.pick(this.cellOf(at));
  }

  pick(found) {
    if (found && this.plot.classList.contains("pickable")) this.plot.pick(found.told);
  }

  // Saves the visible part, in twice the size.
  async download() {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await svgPng(new XMLSerializer().serializeToString(this.svg)));
    link.download = `${this.fileName}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }
}
