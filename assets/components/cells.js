// Walks the cells of a plotly picture's heatmaps with the arrow keys, from one heatmap into the
// next. The cell in focus has a ring, shows the text that the mouse would show, and speaks it.

const ROWS_PER_PAGE = 10;
const LABEL_DRAWN = 80; // milliseconds; plotly draws a label at most every 50
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const middle = (edges, at) => (edges[at] + edges[at + 1]) / 2;
const span = (edges) => [Math.min(edges[0], edges.at(-1)), Math.max(edges[0], edges.at(-1))];
const within = (at, edges) => Math.max(0, Math.min(at, edges.length - 2));
// How far a place lies outside of a heatmap; 0 inside.
const outside = (edges, place) => Math.max(span(edges)[0] - place, place - span(edges)[1], 0);

function nearest(edges, place) {
  let best = 0;
  for (let at = 1; at < edges.length - 1; at++) {
    if (Math.abs(middle(edges, at) - place) < Math.abs(middle(edges, best) - place)) best = at;
  }
  return best;
}

// The heatmaps of a picture: the edges of their columns and rows, in its numbers and in pixels.
function heatmaps(plot) {
  return plot.calcdata.flatMap(([{ trace, x, y, z }], curve) => {
    if (trace.type !== "heatmap" || !z?.length || !z[0].length) return [];
    const [across, down] = [trace.xaxis, trace.yaxis].map(
      (id) => plot._fullLayout[`${id[0]}axis${id.slice(1)}`],
    );
    const pixels = (axis, edges) => Array.from(edges, (at) => axis._offset + axis.c2p(at));
    const subplot = `${trace.xaxis}${trace.yaxis}`;
    return [{ curve, subplot, x, y, columns: pixels(across, x), rows: pixels(down, y) }];
  });
}

class Cells {
  constructor(plot, Plotly) {
    const figure = plot.closest("figure");
    this.plot = plot;
    this.Plotly = Plotly;
    this.area = figure.querySelector(".cells");
    this.ring = figure.querySelector(".ring");
    this.spoken = figure.querySelector(".spoken");
    this.at = { map: 0, row: 0, column: 0 };
    this.area.addEventListener("focus", () => this.show());
    this.area.addEventListener("blur", () => this.leave());
    this.area.addEventListener("keydown", (event) => this.press(event));
  }

  // After every drawing: the cell in focus stays if it still exists.
  redrawn() {
    this.maps = heatmaps(this.plot);
    this.area.hidden = this.maps.length === 0;
    // A wide picture can be scrolled by keyboard in any case.
    this.plot.parentElement.tabIndex = this.area.hidden ? 0 : -1;
    if (this.area.hidden) return;
    const map = Math.min(this.at.map, this.maps.length - 1);
    const { rows, columns } = this.maps[map];
    this.at = { map, row: within(this.at.row, rows), column: within(this.at.column, columns) };
    this.area.setAttribute("aria-label", this.plot.texts.cells);
    if (this.area.matches(":focus")) this.show();
  }

  // The middle of the cell, in the picture's own numbers.
  get place() {
    const { x, y } = this.maps[this.at.map];
    return { x: middle(x, this.at.column), y: middle(y, this.at.row) };
  }

  show() {
    const { columns, rows, subplot } = this.maps[this.at.map];
    const { row, column } = this.at;
    const [left, right] = span([columns[column], columns[column + 1]]);
    const [top, bottom] = span([rows[row], rows[row + 1]]);
    Object.assign(this.ring.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
    const { x, y } = this.place;
    this.Plotly.Fx.hover(this.plot, { xval: x, yval: y }, subplot);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.speak(), LABEL_DRAWN);
  }

  speak() {
    const lines = [...this.plot.querySelectorAll(".hoverlayer .hovertext .line")];
    const text = lines.map((line) => line.textContent).filter(Boolean).join(", ");
    this.spoken.textContent = text || this.plot.texts.blank;
  }

  leave() {
    clearTimeout(this.waiting);
    this.Plotly.Fx.unhover(this.plot);
    this.spoken.textContent = "";
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter") this.choose();
    else if (event.ctrlKey ? !this.jump(event.key) : !this.move(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return;
    this.show();
    this.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Home and End: the ends of a row; with Ctrl: the first and the last cell of a heatmap.
  jump(key) {
    if (key !== "Home" && key !== "End") return false;
    this.toEdge(key === "Home" ? -Infinity : Infinity, "column");
    this.toEdge(key === "Home" ? -Infinity : Infinity, "row");
    return true;
  }

  move(key) {
    if (STEPS[key]) this.step(...STEPS[key]);
    else if (key === "Home") this.toEdge(-Infinity, "column");
    else if (key === "End") this.toEdge(Infinity, "column");
    else if (key === "PageUp") this.toEdge(-ROWS_PER_PAGE, "row");
    else if (key === "PageDown") this.toEdge(ROWS_PER_PAGE, "row");
    else return false;
    return true;
  }

  // So many cells to the right or down on the screen, but not out of the heatmap.
  toEdge(by, side) {
    const edges = this.maps[this.at.map][`${side}s`];
    const forward = edges[1] > edges[0] ? 1 : -1;
    this.at[side] = within(this.at[side] + forward * by, edges);
  }

  step(across, down) {
    const { row, column } = this.at;
    if (across) this.toEdge(across, "column");
    else this.toEdge(down, "row");
    if (this.at.row === row && this.at.column === column) this.cross(across, down);
  }

  // Over the edge: into the nearest heatmap on that side.
  cross(across, down) {
    const { columns, rows } = this.maps[this.at.map];
    const [x, y] = [middle(columns, this.at.column), middle(rows, this.at.row)];
    const far = (map) => outside(map.columns, x) + outside(map.rows, y);
    const beyond = this.maps.filter((map) => {
      const [edges, place, sign] = across ? [map.columns, x, across] : [map.rows, y, down];
      return sign * (middle(span(edges), 0) - place) > 0 && outside(edges, place) > 0;
    });
    const straight = beyond.filter((map) => !(across ? outside(map.rows, y) : outside(map.columns, x)));
    const [next] = (straight.length ? straight : beyond).sort((a, b) => far(a) - far(b));
    if (!next) return;
    this.at = {
      map: this.maps.indexOf(next),
      row: nearest(next.rows, y),
      column: nearest(next.columns, x),
    };
  }

  choose() {
    if (!this.plot.classList.contains("pickable")) return;
    const name = this.plot.data[this.maps[this.at.map].curve].name ?? null;
    this.plot.pick({ ...this.place, name });
  }
}

export function walkCells(plot, Plotly) {
  const cells = new Cells(plot, Plotly);
  plot.on("plotly_afterplot", () => cells.redrawn());
  cells.redrawn();
}
