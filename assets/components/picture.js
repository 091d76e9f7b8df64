// A drawing as SVG that fits its place and is pointed at. It needs no other script.

const NEAR = 14; // pixels from a point within which a pointer is on it
const MARK = /<(\/?)(b|i|br|span)(?: style="color:(#\w{6})")?>/g;
const SIGNS = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const plain = (text) => text.replace(/&(?:lt|gt|amp);/g, (sign) => SIGNS[sign]);

// A text with marks (<b>, <i>, <br>, a coloured <span>) as elements, line by line.
function linesOf(marked) {
  const lines = [document.createElement("div")];
  const looks = [{}];
  let read = 0;
  const write = (upTo) => {
    if (upTo === read) return;
    const run = document.createElement("span");
    run.textContent = plain(marked.slice(read, upTo));
    Object.assign(run.style, looks.at(-1));
    lines.at(-1).append(run);
  };
  for (const { 0: whole, 1: closing, 2: name, 3: color, index } of marked.matchAll(MARK)) {
    write(index);
    read = index + whole.length;
    if (name === "br") lines.push(document.createElement("div"));
    else if (!closing) looks.push({ ...looks.at(-1), ...{ b: { fontWeight: "bold" }, i: { fontStyle: "italic" }, span: { color } }[name] });
    else if (looks.length > 1) looks.pop();
  }
  write(marked.length);
  return lines;
}

// One word or number of a cell or point.
function said(field, at, separators) {
  if (field.words) return field.words[field.at[at]];
  const { numbers, digits, plus } = field;
  if (numbers[at] === null) return "";
  const text = (Math.abs(numbers[at]) / 10 ** digits).toFixed(digits).replace(".", separators[0]);
  return (numbers[at] < 0 ? "−" : plus) + text;
}

const isBlank = ({ blank, columns }, row, column) => blank.includes(row * columns + column);

// Bars are cells over the whole width, one a row; of several in a row, all are told.
function withBars({ maps, points, ...others }) {
  const also = points.filter(({ bars }) => bars);
  if (!also.length) return { maps, points, ...others };
  const [first] = also;
  const [rows, begins] = [first.at.length, first.at[0][1]];
  const high = rows > 1 ? first.at[1][1] - begins : 2 * begins;
  const box = [0, 1, begins - high / 2, begins + (rows - 0.5) * high];
  const cells = { ...first, rows, columns: 1, box, also, blank: [], alike: [], words: [], pair: "" };
  return { ...others, maps: [...maps, cells], points: points.filter(({ bars }) => !bars) };
}

export class Picture {
  constructor(place) {
    this.place = place;
    place.style.position = "relative";
    this.drawing = document.createElement("div");
    this.drawing.className = "drawing";
    this.label = document.createElement("div");
    this.label.className = "cell-label";
    // Below the picture, and on the screen as long as the picture is.
    Object.assign(this.label.style, { position: "sticky", bottom: "var(--bar, 0px)", zIndex: 2, minHeight: "1.5em", lineHeight: 1.5, overflowWrap: "anywhere", visibility: "hidden" });
    place.replaceChildren(this.drawing);
    (place.closest("figure")?.querySelector("figcaption") ?? place.closest(".scroll") ?? place).after(this.label);
    this.drawing.style.userSelect = "none";
    this.drawing.addEventListener("pointermove", (event) => this.move(event));
    this.drawing.addEventListener("pointerleave", () => this.leave());
  }

  // `times` is the scale of everything, letters included; the area inside of the axes is `tall` times as
  // high besides.
  show({ svg, hover, minWidth }, width, times = 1, tall = 1) {
    Object.assign(this, { hover: withBars(hover), minWidth, times, tall });
    this.drawing.innerHTML = svg;
    this.svg = this.drawing.firstElementChild;
    this.svg.style.display = "block";
    const parts = ["window", "area", "rows", "columns", "notes", "around"];
    this.parts = Object.fromEntries(parts.map((name) => [name, this.svg.querySelector(`.${name}`)]));
    this.around = Number(this.svg.getAttribute("width")) - Number(this.parts.area.getAttribute("width"));
    const down = Number(this.parts.area.getAttribute("height"));
    this.down = tall * down;
    this.parts.window.setAttribute("height", this.down + 4);
    for (const name of ["area", "rows", "columns", "notes", "around"]) this.parts[name].setAttribute("height", this.down);
    [this.left, this.highest] = ["x", "y"].map((side) => Number(this.parts.rows.getAttribute(side)));
    this.top = this.highest;
    this.tallest = Number(this.svg.getAttribute("height")) + this.down - down;
    this.back();
    this.marks = document.createElementNS(this.svg.namespaceURI, "g");
    this.marks.style.pointerEvents = "none";
    this.parts.window.after(this.marks);
    this.fit(width);
    this.freeze(this.scrolled ?? [0, 0]);
  }

  // Gives the picture another width; heights and letters stay.
  fit(width) {
    this.width = Math.max(width / this.times, this.minWidth);
    this.across = this.width - this.around;
    this.shrink();
    this.svg.setAttribute("width", this.width * this.times);
    this.svg.setAttribute("height", this.height * this.times);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.parts.window.setAttribute("width", this.across + 4);
    for (const name of ["area", "columns", "notes", "around"]) this.parts[name].setAttribute("width", this.across);
    this.explain();
    this.turn();
    this.marked = undefined;
    this.tell(null);
  }

  // The legend stands in two rows if one is too short for it; only if both are, it is smaller. All of
  // it is in sight, though the picture may be wider.
  explain() {
    const legend = this.parts.around.querySelector(".legend");
    if (!legend) return;
    const frame = this.drawing.closest(".scroll");
    const room = Math.min(this.across, frame?.clientWidth ? frame.clientWidth / this.times - this.left : Infinity);
    const entries = [...legend.querySelectorAll("[data-left]")];
    const { width, down } = legend.dataset;
    const second = room < width ? entries[Math.ceil(entries.length / 2)] : undefined;
    const begins = Number(second?.dataset.left ?? width);
    entries.forEach(({ dataset: { left } }, at) => {
      const [across, row] = left < begins ? [left, -1] : [left - begins, 1];
      entries[at].setAttribute("transform", `translate(${across} ${second ? 8 * row : 0})`);
    });
    const smaller = Math.min(1, room / Math.max(begins, width - begins));
    legend.setAttribute("transform", `translate(0 ${down}) scale(${smaller})`);
  }

  // Names that stay at the edges have their own background, above everything else.
  back() {
    const { rows, columns } = this.parts;
    const ground = (attributes) => {
      const rect = document.createElementNS(this.svg.namespaceURI, "rect");
      for (const [name, value] of Object.entries(attributes)) rect.setAttribute(name, value);
      rect.setAttribute("fill", this.svg.firstElementChild.getAttribute("fill"));
      return rect;
    };
    this.grounds = [
      ground({ x: -this.left, width: this.left, height: "100%" }),
      ground({ y: -this.top, width: "100%", height: this.top }),
      ground({ width: this.left, height: this.top }),
      ground({ x: -2, width: 1, height: "100%" }), // an edge: something lies under it
    ];
    this.grounds[3].setAttribute("fill", "#8A94A0");
    this.grounds[0].style.filter = "drop-shadow(0.25rem 0 0.25rem rgb(0 0 0 / 0.4))";
    rows.prepend(this.grounds[0], this.grounds[3]);
    columns.prepend(this.grounds[1]);
    this.svg.append(rows, columns, this.grounds[2]);
  }

  // Whether the names at the left are those of every heatmap's rows.
  get namesStay() {
    return new Set(this.hover.maps.map(({ rows }) => rows)).size < 2;
  }

  // The names of rows and columns stay in sight while the picture scrolls by so many pixels.
  freeze([across, down]) {
    this.scrolled = [across, down];
    const [x, y] = [this.namesStay ? across / this.times : 0, down / this.times];
    this.parts.rows.setAttribute("x", this.left + x);
    this.parts.columns.setAttribute("y", this.top + y);
    const moved = [x > 0, y > 0, x > 0 || y > 0, x > 0];
    this.grounds.forEach((ground, at) => { ground.style.display = moved[at] ? "" : "none"; });
    this.grounds[2].setAttribute("x", x);
    this.grounds[2].setAttribute("y", y);
  }

  // The room that slanted names need is given up where they lie, if the picture stands alone: the
  // areas of pictures side by side stay level.
  shrink() {
    const named = [...this.parts.columns.querySelectorAll("[data-spare]")];
    const lie = named.length && named.every((names) => this.lies(names));
    const spare = lie ? Math.min(...named.map(({ dataset }) => dataset.spare)) : 0;
    this.top = this.highest - spare;
    this.height = this.tallest - spare;
    this.grounds[2].setAttribute("height", this.top);
    this.parts.window.setAttribute("y", this.top - 2);
    for (const name of ["rows", "notes", "around"]) this.parts[name].setAttribute("y", this.top);
    this.parts.columns.setAttribute("y", this.top + (this.scrolled?.[1] ?? 0) / this.times);
    this.parts.columns.querySelector(".above").setAttribute("transform", `translate(0 ${spare})`);
  }

  // Names of columns lie where they have room for it; elsewhere they are slanted.
  lies({ dataset: { from = 0 } }) {
    return this.across >= from;
  }

  turn() {
    for (const names of this.svg.querySelectorAll(".turns")) {
      const { level, slanted, anchor } = names.dataset;
      const lies = this.lies(names);
      if (anchor) names.setAttribute("text-anchor", lies ? "middle" : anchor);
      for (const name of names.querySelectorAll("svg > g")) name.setAttribute("transform", lies ? level : slanted);
    }
  }

  // The edges of every heatmap's columns and rows, in pixels.
  get maps() {
    return this.hover.maps.map(({ box: [left, right, top, bottom], rows, columns }) => {
      const edges = (count, from, to, side) => Array.from({ length: count + 1 }, (_, at) => (
        this.pixelOf(Array(2).fill(from + (at / count) * (to - from)))[side]));
      return { columns: edges(columns, left, right, 0), rows: edges(rows, top, bottom, 1) };
    });
  }

  // The place of the pointer: in pixels of the picture, and in shares of the area.
  placeOf({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const share = [(x / this.times - this.left) / this.across, (y / this.times - this.top) / this.down];
    const [across, down] = this.scrolled ?? [0, 0]; // under names that stay in sight, nothing is meant
    const isRow = this.hover.maps.some(({ also }) => also); // a bar, its name and its number
    if (isRow) share[0] = 0.5;
    const seen = (isRow || x >= this.left * this.times + across) && y >= this.top * this.times + down;
    return { x, y, inside: seen && share.every((at) => at >= 0 && at <= 1), share };
  }

  pixelOf([x, y]) {
    return [this.times * (this.left + x * this.across), this.times * (this.top + y * this.down)];
  }

  // The cell or point at a place: its words, its box in shares, the data of a click; or null.
  find({ inside, share, ...pointer }) {
    if (!inside) return null;
    const cell = this.cellAt(share);
    if (cell) return cell;
    let [nearest, least] = [null, NEAR];
    for (const points of this.hover.points) {
      points.at.forEach((at, number) => {
        const [left, top] = this.pixelOf(at);
        const far = Math.hypot(left - pointer.x, top - pointer.y);
        if (far < least) [nearest, least] = [this.point(points, number), far];
      });
    }
    return nearest;
  }

  // The cell on top at a place in shares that is not blank.
  cellAt([x, y]) {
    for (const map of this.hover.maps.toReversed()) {
      const [left, right, top, bottom] = map.box;
      const column = Math.floor(((x - left) / (right - left)) * map.columns);
      const row = Math.floor(((y - top) / (bottom - top)) * map.rows);
      const inside = column >= 0 && row >= 0 && column < map.columns && row < map.rows;
      if (inside && !isBlank(map, row, column)) return this.cell(map, row, column);
    }
    return null;
  }

  // The other rectangles are hatched.
  frames() {
    return [...this.parts.area.querySelectorAll(':scope > rect[fill="none"]')];
  }

  // The cell in the middle of a frame, and whether the frame is around one column, and around one row.
  inFrame(frame) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => parseFloat(frame.getAttribute(name)) / 100);
    const found = this.cellAt([x + width / 2, y + height / 2]);
    if (!found) return [null, false, false];
    const [left, right, top, bottom] = found.box;
    return [found.at, width < 1.5 * (right - left), height < 1.5 * (bottom - top)];
  }

  // The cell that has a frame of its own; null if there is none.
  framedCell() {
    const found = this.frames().toReversed().map((frame) => this.inFrame(frame));
    return found.find(([, isColumn, isRow]) => isColumn && isRow)?.[0] ?? null;
  }

  cell(map, row, column) {
    const [left, right, top, bottom] = map.box;
    const [wide, high] = [(right - left) / map.columns, (bottom - top) / map.rows];
    const at = { x: column, y: row };
    return {
      text: map.also?.map(({ texts }) => texts[row]).join("<br>") ?? this.filled(map, (name) => at[name] ?? row * map.columns + column),
      at: { map: this.hover.maps.indexOf(map), row, column },
      box: [left + column * wide, left + (column + 1) * wide, top + row * high, top + (row + 1) * high],
      told: { x: column, y: row, name: map.name },
    };
  }

  point(points, number) {
    const [x, y] = points.at[number];
    const [left, top] = points.places[number];
    return { text: points.texts[number], box: [x, x, y, y], told: { x: left, y: top, name: points.name } };
  }

  filled({ template, fields }, place) {
    return template.replace(/%\{(\w+)[^}]*\}/g, (_, name) => said(fields[name], place(name), this.hover.separators));
  }

  // Describes the cell under the pointer below the picture, and marks it; null: no cell.
  tell(found) {
    this.found = found;
    this.label.style.visibility = found ? "" : "hidden";
    this.mark(found?.at ? this.pairOf(found.at) : null);
    if (!found) return;
    const { bgcolor, font } = this.hover.label;
    Object.assign(this.label.style, { background: bgcolor, color: font.color, font: `${font.size}px/1.5 ${font.family}` });
    const parts = linesOf(found.text).filter((line) => line.textContent);
    for (const part of parts) Object.assign(part.style, { display: "inline-block", marginInlineEnd: "1.2em" });
    this.label.replaceChildren(...parts);
  }

  // A cell in the form that all pictures share: its pair, and its place.
  pairOf({ map, row, column }) {
    const { pair, rows, columns, alike, words } = this.hover.maps[map];
    return { pair, rows, columns, row, column, word: words[alike[row * columns + column]], own: pair || words.length ? null : map };
  }

  // Marks a cell wherever it is shown: its row, its column and their names, itself; or equal words.
  mark(cell) {
    const wanted = JSON.stringify(cell);
    if (wanted === this.marked) return;
    this.place.classList.toggle("pointing", Boolean(cell));
    this.marked = wanted;
    this.marks.replaceChildren();
    for (const name of this.bold ?? []) Object.assign(name.style, { fontWeight: "", visibility: "" });
    this.bold = [];
    if (!cell) return;
    const shown = this.hover.maps.map((map, at) => ({ map, at })).filter(({ map, at }) => (
      (cell.own === at || (cell.pair && cell.pair === map.pair)) && cell.rows === map.rows && cell.columns === map.columns));
    for (const { map, at } of shown) this.markCell(map, this.maps[at], cell, shown.length > 1);
    this.hover.maps.forEach(({ alike, words, columns }, at) => {
      if (cell.word === undefined) return;
      alike.forEach((word, place) => {
        if (words[word] === cell.word) this.frame(this.maps[at], Math.floor(place / columns), place % columns, 2);
      });
    });
  }

  markCell(map, { rows, columns }, { row, column }, several) {
    const ends = (edges) => [edges[0], edges.at(-1)];
    // Where cells are small, lines would cover their neighbours.
    const thin = Math.min(1.5, (rows[1] - rows[0]) / 6, (columns[1] - columns[0]) / 6);
    this.rect(ends(columns), [rows[row], rows[row + 1]], thin, 0.55);
    this.rect([columns[column], columns[column + 1]], ends(rows), thin, 0.55);
    this.frame({ rows, columns }, row, column, 2.5);
    this.bold.push(...this.namesOf(map, row, column));
    for (const name of this.bold) Object.assign(name.style, { fontWeight: "bold", visibility: "visible" });
    if (!several || !map.fields.z) return;
    const { numbers, digits } = map.fields.z;
    const value = numbers[row * map.columns + column] / 10 ** digits;
    const { font } = this.hover.label;
    const text = this.made("text", { x: columns.at(-1) / this.times, y: rows[0] / this.times - 5, "font-size": 12, "font-weight": "bold", "text-anchor": "end", fill: font.color });
    text.textContent = value < 0.005 ? "–" : value.toFixed(2).replace(".", this.hover.separators[0]);
  }

  // The names of a row and of a column, if they stand there.
  namesOf({ box: [left, right, top, bottom], rows, columns }, row, column, of = [true, true]) {
    const named = (side, names, attribute, place) => [...this.parts[side].querySelectorAll(names)]
      .find((one) => Math.abs(parseFloat(one.getAttribute(attribute)) - 100 * place) < 0.02);
    const found = [
      named("rows", ".names text", "y", top + ((row + 0.5) / rows) * (bottom - top)),
      named("columns", ".names > svg", "x", left + ((column + 0.5) / columns) * (right - left)),
    ];
    return found.filter((name, at) => name && of[at]);
  }

  // Around a cell, seen on every colour.
  frame({ rows, columns }, row, column, width) {
    const least = ([from, to]) => [Math.min(from, (from + to) / 2 - 2.5), Math.max(to, (from + to) / 2 + 2.5)];
    const sides = [[columns[column], columns[column + 1]], [rows[row], rows[row + 1]]].map(least);
    const drawn = Math.min(width, (sides[0][1] - sides[0][0]) / 3.5);
    this.rect(...sides, 2 * drawn, 1, this.hover.label.bgcolor);
    this.rect(...sides, drawn, 1);
  }

  rect(across, down, width, opacity, color = this.hover.label.font.color) {
    const [left, right, top, bottom] = [...across, ...down].map((place) => place / this.times);
    this.made("rect", { x: left, y: top, width: right - left, height: bottom - top, fill: "none", stroke: color, "stroke-width": width, "stroke-opacity": opacity });
  }

  made(name, attributes) {
    const element = document.createElementNS(this.svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    this.marks.append(element);
    return element;
  }

  move(event) {
    this.tell(this.find(this.placeOf(event)));
  }

  leave() {
    this.tell(null);
  }
}
