// Walks the cells of a picture's heatmaps with the arrow keys, from one heatmap into the next. The
// cell in focus has a ring, shows the text that the mouse would show, and speaks it.

const ROWS_PER_PAGE = 10;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const middle = (edges, at) => (edges[at] + edges[at + 1]) / 2;
const span = (edges) => [Math.min(edges[0], edges.at(-1)), Math.max(edges[0], edges.at(-1))];
const within = (at, edges) => Math.max(0, Math.min(at, edges.length - 2));
// The distance of a place from a heatmap; 0 inside of it.
const outside = (edges, place) => Math.max(span(edges)[0] - place, place - span(edges)[1], 0);

function nearest(edges, place) {
  let best = 0;
  for (let at = 1; at < edges.length - 1; at++) {
    if (Math.abs(middle(edges, at) - place) < Math.abs(middle(edges, best) - place)) best = at;
  }
  return best;
}

export class Cells {
  // `picture` has the edges of the cells, and describes a cell.
  constructor(picture) {
    const figure = picture.plot.closest("figure");
    this.picture = picture;
    this.frame = picture.plot.parentElement;
    this.area = figure.querySelector(".cells");
    this.ring = figure.querySelector(".ring");
    this.spoken = figure.querySelector(".spoken");
    this.at = { map: 0, row: 0, column: 0 };
    this.framed = "";
    this.area.addEventListener("focus", () => this.begin());
    this.area.addEventListener("blur", () => this.leave());
    this.area.addEventListener("keydown", (event) => this.press(event));
  }

  // After every drawing: the cell in focus stays if it still exists.
  redrawn() {
    this.maps = this.picture.maps;
    this.area.hidden = this.maps.length === 0;
    // A wide picture can be scrolled by keyboard in any case.
    this.frame.tabIndex = this.area.hidden ? 0 : -1;
    if (this.area.hidden) return;
    const map = Math.min(this.at.map, this.maps.length - 1);
    const { rows, columns } = this.maps[map];
    this.at = { map, row: within(this.at.row, rows), column: within(this.at.column, columns) };
    const { texts } = this.picture;
    this.area.setAttribute("aria-label", texts.cells);
    if (this.area.matches(":focus")) this.show();
  }

  // Begins at the framed cell, if there is one; and again there when another cell is framed.
  begin() {
    const framed = this.picture.framedCell();
    if (framed && JSON.stringify(framed) !== this.framed) this.at = framed;
    this.framed = JSON.stringify(framed);
    this.show();
  }

  show() {
    const { columns, rows } = this.maps[this.at.map];
    const { row, column } = this.at;
    const [left, right] = span([columns[column], columns[column + 1]]);
    const [top, bottom] = span([rows[row], rows[row + 1]]);
    Object.assign(this.ring.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
    this.spoken.textContent = this.picture.tellCell(this.at) || this.picture.texts.blank;
  }

  leave() {
    this.picture.tell(null);
    this.spoken.textContent = "";
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter") this.picture.choose(this.at);
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

  // Moves by so many cells to the right or down, but not out of the heatmap.
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

  // Moves over the edge, into the nearest heatmap on that side.
  cross(across, down) {
    const { columns, rows } = this.maps[this.at.map];
    const [x, y] = [middle(columns, this.at.column), middle(rows, this.at.row)];
    const far = (map) => outside(map.columns, x) + outside(map.rows, y);
    const beyond = this.maps.filter((map) => {
      const [edges, place, sign] = across ? [map.columns, x, across] : [map.rows, y, down];
      return sign * (middle(span(edges), 0) - place) > 0 && outside(edges, place) > 0;
    });
    const straight = beyond.filter((map) => !(across ? outside(map.rows, y) : outside(map.columns, x)));
    const [next] = (straight.length ? straight : beyond).toSorted((a, b) => far(a) - far(b));
    if (!next) return;
    this.at = {
      map: this.maps.indexOf(next),
      row: nearest(next.rows, y),
      column: nearest(next.columns, x),
    };
  }
}
