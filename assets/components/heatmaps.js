// Draws a picture made of heatmaps on a canvas, from the traces and the layout that plotly.js would
// be given, and nearly as it would draw them. It does so at every key press.

const version = new URL(import.meta.url).search;
const ours = (name) => import(new URL(name, import.meta.url) + version);
const { Axis, evenTicks, numeral } = await ours("heatmap_axes.js");
const { heightOf, widthOf, write } = await ours("rich_text.js");

const NUMBERS = { i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };
const SHORTEST = 24; // pixels of a colour bar
const AROUND = 2; // pixels by which a frame may stick out of the axes
const BESIDE = 4; // pixels between a colour bar and its numbers
const PLACE = /%\{(\w+)(?::(\+?)\.(\d)f)?\}/g;

// Can it draw this picture? (Everything with heatmaps; other traces only name colours.)
export const drawsHeatmaps = ({ data }) => data.some(({ type }) => type === "heatmap") && data.every(
  ({ type, x }) => (type === "heatmap" ? x === undefined : x?.length === 1 && x[0] === null),
);

const unpacked = new WeakMap();

// Rows of values, from lists or from the bytes of numbers.
function matrix(values) {
  if (values === undefined) return null;
  if (!unpacked.has(values)) unpacked.set(values, unpack(values));
  return unpacked.get(values);
}

function unpack(values) {
  if (Array.isArray(values)) {
    return { rows: values.length, columns: values[0]?.length ?? 0, at: (row, column) => values[row][column] };
  }
  const [rows, columns] = values.shape.split(",").map(Number);
  const bytes = Uint8Array.from(atob(values.bdata), (letter) => letter.charCodeAt(0));
  const numbers = new NUMBERS[values.dtype](bytes.buffer);
  return { rows, columns, at: (row, column) => numbers[row * columns + column] };
}

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));

// Colours of a scale by a share from 0 to 1, as a pixel: its bytes are red, green, blue, opaque.
function colouring(scale) {
  const places = scale.map(([place]) => place);
  const colors = scale.map(([, color]) => channels(color));
  return (share) => {
    const within = share > 0 ? Math.min(1, share) : 0;
    let at = 1;
    while (at < places.length - 1 && places[at] < within) at++;
    const length = places[at] - places[at - 1];
    const part = length > 0 ? (within - places[at - 1]) / length : 1;
    const [before, after] = [colors[at - 1], colors[at]];
    const channel = (n) => Math.round(before[n] + part * (after[n] - before[n]));
    return (0xff000000 | (channel(2) << 16) | (channel(1) << 8) | channel(0)) >>> 0;
  };
}

const linear = (channel) => (channel <= 10 ? channel / 3295 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
// Black or white, whichever is easier to read on a colour.
function onTop(pixel) {
  const [red, green, blue] = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255].map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

const scratch = document.createElement("canvas");

class Heatmap {
  constructor(trace, axes) {
    this.trace = trace;
    this.z = matrix(trace.z);
    [this.across, this.down] = [axes[trace.xaxis ?? "x"], axes[trace.yaxis ?? "y"]];
    this.text = matrix(trace.text);
    this.customdata = matrix(trace.customdata);
  }

  static extent(trace, letter) {
    const { rows, columns } = matrix(trace.z);
    const [start, step] = [trace[`${letter}0`] ?? 0, trace[`d${letter}`] ?? 1];
    return [start - step / 2, start + step * ((letter === "x" ? columns : rows) - 0.5)];
  }

  // The places of all columns or rows in the picture's own numbers.
  x(column) { return (this.trace.x0 ?? 0) + column * (this.trace.dx ?? 1); }

  y(row) { return (this.trace.y0 ?? 0) + row * (this.trace.dy ?? 1); }

  // The edges of all columns or rows in pixels.
  get columns() {
    return Array.from({ length: this.z.columns + 1 }, (_, at) => this.across.pixel(this.x(at - 0.5)));
  }

  get rows() {
    return Array.from({ length: this.z.rows + 1 }, (_, at) => this.down.pixel(this.y(at - 0.5)));
  }

  isBlank(row, column) {
    const value = this.z.at(row, column);
    return value === null || Number.isNaN(value);
  }

  colorAt(row, column) {
    this.color ??= colouring(this.trace.colorscale);
    const { zmin, zmax } = this.trace;
    return this.color((this.z.at(row, column) - zmin) / (zmax - zmin));
  }

  // A text in which the places in %{…} are filled for one cell; null for a blank one.
  filled(template, row, column, separators) {
    if (this.isBlank(row, column)) return null;
    return template.replace(PLACE, (_, name, plus, digits) => {
      if (name === "x") return this.across.nameOf(this.x(column));
      if (name === "y") return this.down.nameOf(this.y(row));
      const value = this[name === "z" ? "z" : name]?.at(row, column) ?? "";
      return digits === undefined ? value : numeral(value, Number(digits), separators, plus);
    });
  }

  // Its cells, pixel by pixel of the screen, as far as they lie within an area.
  paint(context, { left, right, top, bottom }, dots) {
    const within = (edges, low, high) => edges.map((at) => Math.round(Math.max(low, Math.min(high, at)) * dots));
    const [columns, rows] = [within(this.columns, left, right), within(this.rows, top, bottom)];
    const [x, y] = [Math.min(columns[0], columns.at(-1)), Math.min(rows[0], rows.at(-1))];
    const width = Math.abs(columns.at(-1) - columns[0]);
    const height = Math.abs(rows.at(-1) - rows[0]);
    if (!width || !height) return;
    const [besides, below] = [this.trace.xgap, this.trace.ygap].map((gap) => Math.round((gap ?? 0) * dots));
    const image = new ImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    // From edge to edge, less the gap: half of it on each side.
    const span = (edges, at, start, gap) => {
      const [first, last] = [Math.min(edges[at], edges[at + 1]), Math.max(edges[at], edges[at + 1])];
      const kept = Math.min(gap, Math.max(0, last - first - 1));
      return [first - start + (kept >> 1), last - start - (kept - (kept >> 1))];
    };
    const spans = columns.slice(1).map((_, at) => span(columns, at, x, besides));
    for (let row = 0; row < this.z.rows; row++) {
      const [from, to] = span(rows, row, y, below);
      if (to <= from) continue;
      const start = from * width;
      for (let column = 0; column < this.z.columns; column++) {
        if (this.isBlank(row, column)) continue;
        const [begin, end] = spans[column];
        if (end > begin) pixels.fill(this.colorAt(row, column), start + begin, start + end);
      }
      for (let line = from + 1; line < to; line++) pixels.copyWithin(line * width, start, start + width);
    }
    [scratch.width, scratch.height] = [width, height];
    scratch.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(scratch, x / dots, y / dots, width / dots, height / dots);
  }

  writeNumbers(context, look, separators) {
    const { texttemplate, textfont } = this.trace;
    if (!texttemplate) return;
    const { columns, rows } = this;
    for (let row = 0; row < this.z.rows; row++) {
      for (let column = 0; column < this.z.columns; column++) {
        const text = this.filled(texttemplate, row, column, separators);
        if (!text) continue;
        const color = onTop(this.colorAt(row, column));
        const [x, y] = [(columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2];
        write(context, text, x, y, { ...look, ...textfont, color });
      }
    }
  }
}

export class Heatmaps {
  constructor(plot) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "heatmaps";
    plot.replaceChildren(this.canvas);
    this.context = this.canvas.getContext("2d");
  }

  // `dots` are the pixels of the screen, or of a file, for one of the picture's.
  show(spec, width, dots) {
    const { uirevision } = spec.layout;
    if (uirevision === undefined || uirevision !== this.layout?.uirevision) this.view = null;
    Object.assign(this, { layout: spec.layout, data: spec.data, width, dots });
    this.draw();
  }

  // Another part of the picture, {x: [from, to], y: [from, to]}, or null for all of it.
  look(view) {
    this.view = view;
    this.draw();
  }

  draw() {
    const { layout, width, context } = this;
    const { l, r, t, b } = layout.margin;
    this.separators = layout.separators;
    this.area = { left: l, right: width - r, top: t, bottom: layout.height - b };
    this.area.right = Math.min(this.area.right, ...this.data.map((trace) => this.rightOf(trace)));
    this.axes = this.measured();
    this.maps = this.data.flatMap((trace) => (
      trace.type === "heatmap" && matrix(trace.z).columns ? [new Heatmap(trace, this.axes)] : []));
    const { dots } = this;
    this.canvas.width = Math.round(width * dots);
    this.canvas.height = Math.round(layout.height * dots);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${layout.height}px`;
    context.setTransform(dots, 0, 0, dots, 0, 0);
    context.imageSmoothingEnabled = false;
    context.fillStyle = layout.paper_bgcolor;
    context.fillRect(0, 0, width, layout.height);
    const shapes = layout.shapes ?? [];
    this.within(() => {
      for (const shape of shapes.filter(({ layer }) => layer === "below")) this.drawShape(shape);
      for (const map of this.maps) map.paint(context, this.area, dots);
      for (const map of this.maps) map.writeNumbers(context, this.font(), this.separators);
      for (const shape of shapes.filter(({ layer }) => layer !== "below")) this.drawShape(shape);
    });
    for (const axis of Object.values(this.axes)) this.writeAxis(axis);
    for (const annotation of layout.annotations ?? []) this.annotate(annotation);
    for (const map of this.maps) if (map.trace.showscale !== false) this.drawColorBar(map);
    if (layout.showlegend) this.writeLegend();
  }

  // Where the axes may end, so that a trace's colour bar has room on their right.
  rightOf({ type, showscale, colorbar, zmin, zmax }) {
    const { width, context, area } = this;
    if (type !== "heatmap" || showscale === false) return Infinity;
    const { title, thickness, tickfont, x = 1.02, xpad = 10 } = colorbar;
    const look = this.font(tickfont);
    const ticks = evenTicks([zmin, zmax], area.bottom - area.top, "y", this.separators);
    const numbers = thickness + BESIDE + Math.max(0, ...ticks.map(([, text]) => widthOf(context, text, look)));
    const words = title.text ? widthOf(context, title.text, this.font(title.font)) : 0;
    return area.left + (width - area.left - xpad - Math.max(numbers, words) - 1) / x;
  }

  font(more) {
    return { ...this.layout.font, ...more };
  }

  measured() {
    const { left, right, top, bottom } = this.area;
    const axes = {};
    for (const [name, layout] of Object.entries(this.layout)) {
      const [, letter, number] = /^([xy])axis(\d*)$/.exec(name) ?? [];
      if (!letter) continue;
      const drawn = this.data.filter((trace) => trace.type === "heatmap" && (trace[`${letter}axis`] ?? letter) === letter + number);
      const extents = drawn.map((trace) => Heatmap.extent(trace, letter)).flat();
      const extent = extents.length ? [Math.min(...extents), Math.max(...extents)] : [0, 1];
      const pixels = letter === "x" ? [left, right] : [bottom, top];
      axes[letter + number] = new Axis(letter, layout, pixels, extent, this.view?.[letter], this.separators);
    }
    return axes;
  }

  // Draws only inside of the axes.
  within(drawing) {
    const { left, right, top, bottom } = this.area;
    this.context.save();
    this.context.beginPath();
    this.context.rect(left - AROUND, top - AROUND, right - left + 2 * AROUND, bottom - top + 2 * AROUND);
    this.context.clip();
    drawing();
    this.context.restore();
  }

  drawShape({ x0, x1, y0, y1, line, fillcolor }) {
    const { context, axes } = this;
    const [left, right] = [axes.x.pixel(x0), axes.x.pixel(x1)];
    const [top, bottom] = [axes.y.pixel(y0), axes.y.pixel(y1)];
    const box = [Math.min(left, right), Math.min(top, bottom), Math.abs(right - left), Math.abs(bottom - top)];
    if (fillcolor) {
      context.fillStyle = fillcolor;
      context.fillRect(...box);
    }
    if (!line?.width) return;
    context.strokeStyle = line.color;
    context.lineWidth = line.width;
    context.strokeRect(...box);
  }

  writeAxis(axis) {
    const { context, area, layout: { margin } } = this;
    const { tickfont, ticklabelstandoff: off = 0, tickangle, side, title } = axis.layout;
    const look = this.font(tickfont);
    const { ticks } = axis;
    let depth = ticks.length ? off : 0;
    if (axis.letter === "y") {
      for (const [y, text] of ticks) write(context, text, area.left - off, y, look, 1);
      const widest = Math.max(0, ...ticks.map(([, text]) => widthOf(context, text, look)));
      depth += widest;
    } else {
      const outwards = side === "top" ? -1 : 1;
      const edge = side === "top" ? area.top : area.bottom;
      const widths = ticks.map(([, text]) => widthOf(context, text, look));
      const upright = tickangle === -90 || (tickangle === undefined && this.crowded(ticks, widths));
      for (const [x, text] of ticks) {
        if (upright) this.turned(x, edge + outwards * off, () => write(context, text, 0, 0, look, side === "top" ? 0 : 1));
        else write(context, text, x, edge + outwards * (off + 0.65 * look.size), look);
      }
      depth += upright ? Math.max(0, ...widths) : ticks.length ? 1.3 * look.size : 0;
    }
    if (!title?.text) return;
    const face = this.font(title.font);
    const room = axis.letter === "y" ? margin.l : side === "top" ? margin.t : margin.b;
    const out = Math.min(depth + (title.standoff ?? 8) + 0.55 * face.size, room - 0.65 * face.size);
    if (axis.letter === "x") {
      write(context, title.text, (area.left + area.right) / 2, side === "top" ? area.top - out : area.bottom + out, face);
    } else {
      this.turned(area.left - out, (area.top + area.bottom) / 2, () => write(context, title.text, 0, 0, face));
    }
  }

  // Do texts beside each other touch?
  crowded(ticks, widths) {
    return ticks.some(([x], at) => at && Math.abs(x - ticks[at - 1][0]) < (widths[at] + widths[at - 1]) / 2 + 3);
  }

  // Draws around a place, upwards.
  turned(x, y, drawing) {
    this.context.save();
    this.context.translate(x, y);
    this.context.rotate(-Math.PI / 2);
    drawing();
    this.context.restore();
  }

  annotate({ text, x, y, yref, xanchor = "center", yanchor = "middle", yshift = 0, font, showarrow, ...arrow }) {
    const { context, area, axes } = this;
    if (showarrow) {
      const [from, to] = [[arrow.ax, arrow.ay], [x, y]].map(([h, v]) => [axes.x.pixel(h), axes.y.pixel(v)]);
      this.within(() => this.drawArrow(from, to, arrow));
      return;
    }
    const look = this.font(font);
    const [left, paper] = [axes.x.pixel(x), yref === "paper"];
    const place = paper ? area.bottom - y * (area.bottom - area.top) : axes.y.pixel(y);
    const outside = left < area.left - AROUND || left > area.right + AROUND
      || (!paper && (place < area.top - AROUND || place > area.bottom + AROUND));
    if (this.view && outside) return;
    const half = heightOf(text, look) / 2 + 2;
    const middle = place - yshift + { bottom: -half, middle: 0, top: half }[yanchor];
    write(context, text, left + (xanchor === "left" ? 2 : 0), middle, look, { left: 0, center: 0.5, right: 1 }[xanchor]);
  }

  drawArrow([fromX, fromY], [toX, toY], { arrowcolor, arrowwidth }) {
    const { context } = this;
    const angle = Math.atan2(toY - fromY, toX - fromX);
    const head = 4 * arrowwidth;
    context.save();
    context.translate(toX, toY);
    context.rotate(angle);
    [context.strokeStyle, context.fillStyle, context.lineWidth] = [arrowcolor, arrowcolor, arrowwidth];
    context.beginPath();
    context.moveTo(-Math.hypot(toX - fromX, toY - fromY), 0);
    context.lineTo(-head, 0);
    context.stroke();
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(-head, head / 2);
    context.lineTo(-head, -head / 2);
    context.fill();
    context.restore();
  }

  drawColorBar({ trace }) {
    const { context, area } = this;
    const { title, thickness, tickfont, x = 1.02, xpad = 10 } = trace.colorbar;
    const left = area.left + x * (area.right - area.left) + xpad;
    const face = this.font(title.font);
    const top = area.top + 10 + (title.text ? 1.6 * face.size : 0);
    const bottom = area.bottom - 10;
    if (bottom - top < SHORTEST) return;
    const colors = context.createLinearGradient(0, bottom, 0, top);
    for (const [place, color] of trace.colorscale) colors.addColorStop(place, color);
    context.fillStyle = colors;
    context.fillRect(left, top, thickness, bottom - top);
    const look = this.font(tickfont);
    const { zmin, zmax } = trace;
    for (const [value, text] of evenTicks([zmin, zmax], bottom - top, "y", this.separators)) {
      const y = bottom - ((value - zmin) / (zmax - zmin)) * (bottom - top);
      write(context, text, left + thickness + BESIDE, y, look, 0);
    }
    if (title.text) write(context, title.text, left, top - 1.05 * face.size, face, 0);
  }

  // The names of colours, side by side below the picture; smaller where there is little room.
  writeLegend() {
    const { context, area, width, layout } = this;
    const named = this.data.filter(({ marker }) => marker);
    const words = named.map(({ name }) => widthOf(context, name, this.font()));
    const sides = named.map(({ marker }) => marker.size);
    const long = words.reduce((sum, word, at) => sum + word + 2.7 * sides[at], 0);
    const times = Math.min(1, (width - 8) / long);
    const look = this.font({ size: times * layout.font.size });
    const middle = area.bottom + layout.margin.b / 2;
    let left = Math.max(4, Math.min(area.left, width - 4 - times * long));
    named.forEach(({ name, marker }, at) => {
      const side = times * marker.size;
      context.fillStyle = marker.color;
      context.fillRect(left, middle - side / 2, side, side);
      write(context, name, left + 1.45 * side, middle, look, 0);
      left += times * (words[at] + 2.7 * sides[at]);
    });
  }

  // The cell that is seen at a place in pixels: {map, row, column}, or null.
  cellAt(x, y) {
    const { left, right, top, bottom } = this.area;
    if (x < left || x > right || y < top || y > bottom) return null;
    for (let map = this.maps.length - 1; map >= 0; map--) {
      const { across, down, trace, z } = this.maps[map];
      const column = Math.round((across.value(x) - (trace.x0 ?? 0)) / (trace.dx ?? 1));
      const row = Math.round((down.value(y) - (trace.y0 ?? 0)) / (trace.dy ?? 1));
      const inside = row >= 0 && column >= 0 && row < z.rows && column < z.columns;
      if (inside && !this.maps[map].isBlank(row, column)) return { map, row, column };
    }
    return null;
  }

  // Whether a cell is out of the part that is on show.
  hides({ map, row, column }) {
    const { columns, rows } = this.maps[map];
    const { left, right, top, bottom } = this.area;
    const [x, y] = [(columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2];
    return x < left || x > right || y < top || y > bottom;
  }

  // The cell itself; or, if it is blank, the one that is seen in its place.
  seenAt(cell) {
    const { map, row, column } = cell;
    const { columns, rows } = this.maps[map];
    if (!this.maps[map].isBlank(row, column)) return cell;
    return this.cellAt((columns[column] + columns[column + 1]) / 2, (rows[row] + rows[row + 1]) / 2) ?? cell;
  }

  // What stands in the label of a cell; null for a blank one.
  labelOf({ map, row, column }) {
    const found = this.maps[map];
    const text = found.filled(found.trace.hovertemplate, row, column, this.separators);
    return text?.replace(/<extra>.*<\/extra>/, "") ?? null;
  }

  // What a click on a cell says.
  pointOf({ map, row, column }) {
    const found = this.maps[map];
    return { x: found.x(column), y: found.y(row), name: found.trace.name ?? null };
  }
}
