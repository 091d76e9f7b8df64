// A picture in the app: clicked, walked by keyboard, enlarged, and redrawn while its numbers change.

import { Cells } from "./cells.js";
import { Picture } from "./picture.js";
import { point, whenPointed } from "./pointing.js";

const ENLARGE = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 10V4h6M20 10V4h-6M4 14v6h6M20 14v6h-6"/></svg>';

const LEGIBLE = 12; // pixels of a row

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
    this.enlarge = document.createElement("button");
    Object.assign(this.enlarge, { className: "enlarge", type: "button", tabIndex: -1, innerHTML: ENLARGE });
    this.enlarge.addEventListener("click", () => plot.enlarge());
    plot.closest("figure").append(this.enlarge);
    this.cells = new Cells(this);
    this.drawing.addEventListener("click", (event) => this.click(event));
  }

  redraw(drawn, texts, width, times, tall) {
    this.texts = texts;
    this.kind = drawn.kind;
    this.enlarge.title = texts.enlarge;
    this.enlarge.setAttribute("aria-label", texts.enlarge);
    this.show(drawn, width, times, tall);
    this.redrawn();
  }

  fit(width) {
    super.fit(width);
    if (this.cells) this.redrawn();
  }

  // Of many names, only those of the cell that is pointed at are written; or those of what is framed.
  lies(names) {
    return "many" in names.dataset || super.lies(names);
  }

  turn() {
    super.turn();
    for (const name of this.svg.querySelectorAll(".names.turns[data-many] > svg")) {
      name.setAttribute("text-anchor", parseFloat(name.getAttribute("x")) > 75 ? "end" : "middle");
    }
    const rows = this.parts.rows.querySelector(".names[data-many]");
    rows?.classList.toggle("fits", this.down / rows.children.length >= LEGIBLE);
  }

  mark(cell) {
    super.mark(cell);
    for (const name of this.framed ?? []) name.style.visibility = "";
    this.framed = cell ? [] : this.frames().flatMap((frame) => {
      const [at, isColumn, isRow] = this.inFrame(frame);
      const map = this.hover.maps[at?.map];
      return at ? this.namesOf(map, at.row, at.column, [isRow && map.rows > 1, isColumn && map.columns > 1]) : [];
    });
    for (const name of this.framed) name.style.visibility = "visible";
  }

  redrawn() {
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
    this.pointer = null;
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

  click(event) {
    if (event.detail > 1) return; // the second click of two
    const found = this.find(this.placeOf(event));
    if (event.pointerType === "touch") [this.pointer, this.tapped] = [null, found?.at];
    this.tell(found);
    this.pick(found);
  }

  choose(at) {
    this.pick(this.cellOf(at));
  }

  pick(found) {
    if (found && this.plot.classList.contains("pickable")) this.plot.pick(found.told);
  }
}
