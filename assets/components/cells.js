// Walks the cells of a picture's heatmaps with the arrow keys, from one heatmap into the next. The
// cell in focus has a ring, shows the text that the mouse would show, and speaks it.

const ROWS_PER_PAGE = 10;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const middle = (edges, at) => (edges[at] + edges[at + 1]) / 2;
const within = (at, edges) => Math.max(0, Math.min(at, edges.length - 2));
// The distance of a place from a heatmap; 0 inside of it.
const outside = (edges, place) => Math.max(edges[0] - place, place - edges.at(-1), 0);

// The cell at a place, or the nearest one.
const cellAt = (edges, place) => within(edges.findLastIndex((edge) => edge <= place), edges);

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
    const place = { left: columns[column], top: rows[row] };
    place.width = columns[column + 1] - place.left;
    place.height = rows[row + 1] - place.top;
    for (const [side, pixels] of Object.entries(place)) this.ring.style[side] = `${pixels}px`;
    this.spoken.textContent = this.picture.tellCell(this.at) || this.picture.texts.blank;
  }

  leave() {
    this.picture.tell(null);
    this.spoken.textContent = "";
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter") this.picture.choose(this.at);
    else if (!this.move(event.key, event.ctrlKey)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Enter") return;
    this.show();
    this.ring.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Home and End: the ends of a row; with Ctrl, the first and the last cell of a heatmap.
  move(key, far = false) {
    const ends = { Home: -Infinity, End: Infinity };
    const pages = { PageUp: -ROWS_PER_PAGE, PageDown: ROWS_PER_PAGE };
    if (key in ends) this.go(ends[key], far ? ends[key] : 0);
    else if (far) return false;
    else if (key in pages) this.go(0, pages[key]);
    else if (key in STEPS) this.step(...STEPS[key]);
    else return false;
    return true;
  }

  // Moves by so many cells to the right and down, but not out of the heatmap.
  go(across, down) {
    const { columns, rows } = this.maps[this.at.map];
    this.at.column = within(this.at.column + across, columns);
    this.at.row = within(this.at.row + down, rows);
  }

  step(across, down) {
    const { row, column } = this.at;
    this.go(across, down);
    if (this.at.row === row && this.at.column === column) this.cross(across, down);
  }

  // Moves over the edge, into the nearest heatmap on that side; what lies straight on comes first.
  cross(across, down) {
    const { columns, rows } = this.maps[this.at.map];
    const [x, y] = [middle(columns, this.at.column), middle(rows, this.at.row)];
    const isBeyond = (edges, place, sign) => (sign > 0 ? edges[0] > place : edges.at(-1) < place);
    const far = (map) => {
      const ways = [outside(map.columns, x), outside(map.rows, y)];
      return [ways[across ? 1 : 0] > 0, ways[0] + ways[1]];
    };
    const beyond = this.maps.filter((map) => (across ? isBeyond(map.columns, x, across) : isBeyond(map.rows, y, down)));
    const [next] = beyond.toSorted((a, b) => far(a)[0] - far(b)[0] || far(a)[1] - far(b)[1]);
    if (next) this.at = { map: this.maps.indexOf(next), row: cellAt(next.rows, y), column: cellAt(next.columns, x) };
  }
}
