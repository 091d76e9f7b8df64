// A picture made of heatmaps: drawn on a canvas, pointed at, clicked, zoomed into, walked by keyboard.

const version = new URL(import.meta.url).search;
const ours = (name) => import(new URL(name, import.meta.url) + version);
const { Cells } = await ours("cells.js");
const { Heatmaps } = await ours("heatmaps.js");
const { elementsOf } = await ours("rich_text.js");

const DRAGGED = 8; // pixels from which a movement is no click
const MOST_PIXELS = 16e6; // of a canvas; phones show larger ones empty
const DOUBLE = 300; // milliseconds in which a second click may come
const ICONS = {
  save: "M4 7h3l2-2h6l2 2h3v12H4z M12 16a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z",
  whole: "M4 10V4h6M20 10V4h-6M4 14v6h6M20 14v6h-6",
};

function element(name, className, parent) {
  const made = document.createElement(name);
  made.className = className;
  made.hidden = true;
  parent.append(made);
  return made;
}

function iconButton(icon, parent) {
  const button = element("button", icon, parent);
  button.type = "button";
  button.tabIndex = -1; // by keyboard, pictures are saved at the foot of the page
  button.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
  return button;
}

const pictures = () => [...document.querySelectorAll(".plot")].filter(({ heatmaps }) => heatmaps)
  .map(({ picture }) => picture);
const redrawAll = () => pictures().forEach((picture) => picture.redraw());

// What is written on a canvas does not change by itself when its font has come, or when the screen
// has other pixels.
document.fonts.addEventListener("loadingdone", redrawAll);
function watchScreen() {
  const same = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
  same.addEventListener("change", () => {
    redrawAll();
    watchScreen();
  }, { once: true });
}
watchScreen();

// Paper has finer dots.
let finer = 1;
for (const [event, times] of [["beforeprint", 3], ["afterprint", 1]]) {
  window.addEventListener(event, () => {
    finer = times;
    redrawAll();
  });
}

// The label of a tap goes away with the next tap elsewhere.
document.addEventListener("pointerdown", ({ target }) => {
  for (const picture of pictures()) if (!picture.plot.contains(target)) picture.tell(null);
});

export class HeatmapPicture {
  constructor(plot) {
    this.plot = plot;
    this.heatmaps = new Heatmaps(plot);
    this.label = element("div", "cell-label", plot);
    this.box = element("div", "zoom-box", plot);
    const tools = element("div", "tools", plot);
    tools.hidden = false;
    this.whole = iconButton("whole", tools);
    this.save = iconButton("save", tools);
    this.cells = new Cells(this);
    this.whole.addEventListener("click", () => this.look(null));
    this.save.addEventListener("click", () => this.download());
    const { canvas } = this.heatmaps;
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("pointerup", (event) => this.release(event));
    canvas.addEventListener("pointercancel", () => this.stopDragging());
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("dblclick", () => this.look(null));
  }

  show({ spec, texts, fileName }) {
    Object.assign(this, { spec, texts, fileName });
    Object.assign(this.plot, spec, { heatmaps: this.heatmaps });
    this.draw(this.plot.clientWidth);
    this.name(this.save, texts.save);
    this.name(this.whole, texts.whole);
    this.save.hidden = false;
    this.redrawn();
    return true;
  }

  name(button, text) {
    button.title = text;
    button.setAttribute("aria-label", text);
  }

  // As fine as the screen, where a part of the page may be enlarged, or as the paper.
  draw(width) {
    const wanted = window.devicePixelRatio * (this.heatmaps.canvas.currentCSSZoom ?? 1) * finer;
    const most = Math.sqrt(MOST_PIXELS / (width * this.spec.layout.height));
    this.heatmaps.show(this.spec, width, Math.min(wanted, most));
  }

  resize(width) {
    if (this.spec && width !== this.heatmaps.width) this.redraw(width);
  }

  redraw(width = this.heatmaps.width) {
    if (!this.spec) return;
    this.draw(width);
    this.redrawn();
  }

  redrawn() {
    this.whole.hidden = !this.heatmaps.view;
    if (this.pointer) this.point(this.pointer);
    else this.tell(null);
    this.cells.redrawn();
  }

  remove() {
    this.cells.remove();
    for (const name of ["heatmaps", "data", "layout"]) delete this.plot[name];
    this.plot.replaceChildren();
  }

  // The label of a cell, beside it; returns its text, "" for a blank cell.
  tell(place) {
    const { heatmaps, label, plot } = this;
    const cell = place && heatmaps.seenAt(place);
    const text = cell && heatmaps.labelOf(cell);
    label.hidden = !text;
    if (!text) return "";
    label.style.maxWidth = `${plot.parentElement.clientWidth - 4}px`;
    label.replaceChildren(...elementsOf(text));
    const { bgcolor, bordercolor, font } = heatmaps.layout.hoverlabel;
    Object.assign(label.style, {
      background: bgcolor, borderColor: bordercolor, color: font.color, font: `${font.size}px ${font.family}`,
    });
    const { columns, rows } = heatmaps.maps[cell.map];
    const [left, right] = [columns[cell.column], columns[cell.column + 1]].sort((a, b) => a - b);
    const middle = (rows[cell.row] + rows[cell.row + 1]) / 2;
    const { scrollLeft, clientWidth } = plot.parentElement;
    const [width, height] = [label.offsetWidth, label.offsetHeight];
    const fits = right + 8 + width <= scrollLeft + clientWidth;
    const beside = fits ? right + 8 : Math.max(scrollLeft, left - 8 - width);
    const above = Math.max(0, Math.min(heatmaps.layout.height - height, middle - height / 2));
    label.style.transform = `translate(${beside}px, ${above}px)`;
    return Array.from(label.children, (line) => line.textContent).filter(Boolean).join(", ");
  }

  point({ x, y }) {
    this.tell(this.heatmaps.cellAt(x, y));
  }

  // Where the pointer is, in the picture's own pixels.
  placeOf({ clientX, clientY }) {
    const { left, top, width } = this.heatmaps.canvas.getBoundingClientRect();
    const times = this.heatmaps.width / width;
    return { x: (clientX - left) * times, y: (clientY - top) * times };
  }

  move(event) {
    this.pointer = this.placeOf(event);
    if (!(event.buttons & 1)) this.stopDragging();
    const { x, y } = this.pointer;
    this.dragging ||= this.pressed
      && Math.max(Math.abs(x - this.pressed.x), Math.abs(y - this.pressed.y)) >= DRAGGED;
    if (!this.dragging) {
      this.point(this.pointer);
      return;
    }
    this.tell(null);
    const { x: [left, right], y: [top, bottom] } = this.dragged();
    this.box.hidden = false;
    Object.assign(this.box.style, {
      left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px`,
    });
  }

  // The part between where the pointer was pressed and where it is; all of a side along which it
  // has hardly moved.
  dragged() {
    const { area } = this.heatmaps;
    const part = (from, to, low, high) => {
      const within = [from, to].map((at) => Math.max(low, Math.min(high, at))).sort((a, b) => a - b);
      return within[1] - within[0] < DRAGGED ? [low, high] : within;
    };
    return {
      x: part(this.pressed.x, this.pointer.x, area.left, area.right),
      y: part(this.pressed.y, this.pointer.y, area.top, area.bottom),
    };
  }

  // With a finger, one scrolls the page.
  press(event) {
    const { x, y } = this.placeOf(event);
    const { left, right, top, bottom } = this.heatmaps.area;
    this.moved = false;
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    if (x < left || x > right || y < top || y > bottom) return;
    this.pressed = { x, y };
    this.heatmaps.canvas.setPointerCapture(event.pointerId);
  }

  release() {
    if (this.dragging) {
      const { x: [left, right], y: [top, bottom] } = this.dragged();
      const { axes: { x, y }, area } = this.heatmaps;
      this.moved = true; // the click that follows is none
      const isPart = right - left < area.right - area.left || bottom - top < area.bottom - area.top;
      if (isPart) this.look({ x: [x.value(left), x.value(right)], y: [y.value(bottom), y.value(top)] });
    }
    this.stopDragging();
  }

  stopDragging() {
    this.pressed = null;
    this.dragging = false;
    this.box.hidden = true;
  }

  leave() {
    if (this.dragging) return;
    this.pointer = null;
    this.tell(null);
  }

  click(event) {
    clearTimeout(this.choosing);
    if (this.moved || event.detail > 1) return; // the second click of two
    const { x, y } = this.placeOf(event);
    const cell = this.heatmaps.cellAt(x, y);
    this.tell(cell);
    if (!cell) return;
    // Where a part is on show, a double click leaves it, and chooses nothing.
    if (this.heatmaps.view) this.choosing = setTimeout(() => this.choose(cell), DOUBLE);
    else this.choose(cell);
  }

  choose(place) {
    const cell = this.heatmaps.seenAt(place);
    if (!this.plot.classList.contains("pickable") || this.heatmaps.labelOf(cell) === null) return;
    this.plot.pick(this.heatmaps.pointOf(cell));
  }

  look(view) {
    if (!view && !this.heatmaps.view) return;
    this.heatmaps.look(view);
    this.redrawn();
  }

  // Saves what is on show, in twice the size.
  download() {
    const copy = new Heatmaps(document.createElement("div"));
    copy.show(this.spec, this.heatmaps.width, 2);
    copy.look(this.heatmaps.view);
    copy.canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${this.fileName}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
  }
}
