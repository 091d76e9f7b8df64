// A table with a header row and a header column; every cell is set as text, a number on the colour
// of its value, or a vector as a strip of cells. A click on a column's name may sort by it, and a
// click on a row, or its button, may choose it.

// The scripts are fetched by their version.
const { make } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

export function mix(scale, at) {
  const x = Math.min(1, Math.max(0, at)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(x));
  return scale[low].map((channel, n) => channel + (x - low) * (scale[low + 1][n] - channel));
}

const css = (color) => `rgb(${color.map(Math.round).join(" ")})`;
// Whether black is easier to read on this colour than white; the better one has 4.5 : 1 at least.
export const bright = (color) => {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179;
};

function strip(values, scale) {
  const canvas = make("canvas", { width: values.length, height: 1, ariaHidden: "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(values.length, 1);
  values.forEach((value, n) => {
    image.data.set([...mix(scale, (value + 100) / 200), 255], 4 * n);
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

function fill(cell, content, scales) {
  if (content === null) return;
  if (typeof content === "string") {
    cell.append(make("span", { textContent: content }));
  } else if (content.strip) {
    cell.append(strip(content.strip, scales.signed));
    cell.className = "strip";
  } else {
    cell.textContent = content.text;
    cell.className = content.quiet ? "number quiet" : "number";
    if (content.at === undefined) return;
    const color = mix(scales[content.scale], content.at);
    cell.style.background = css(color);
    cell.style.color = bright(color) ? "#000000" : "#FFFFFF";
  }
}

// Orders cells by their numbers, written as the page's language does, else as words.
export function comparing([decimal, group]) {
  const { compare } = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true });
  const plain = (cell) => cell.replace("−", "-").replaceAll(group, "").replace(decimal, ".");
  const number = (cell) => (cell.trim() === "" ? NaN : Number(plain(cell)));
  return (a, b) => {
    const difference = number(a) - number(b);
    return Number.isNaN(difference) ? compare(a, b) : difference;
  };
}

// The table scrolls as far as is needed; the page stays where it is.
function bringInSight(table, row) {
  const [head, foot] = [table.tHead, table.tFoot].map((part) => part.rows[0].cells[0].getBoundingClientRect());
  const { top, bottom } = row.getBoundingClientRect();
  table.parentElement.scrollTop += Math.min(0, top - head.bottom) || Math.max(0, bottom - foot.top);
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table");
  table.pick = (row) => setTriggerValue("picked", row);
  const text = new TextDecoder().decode(bytes);
  if (table.drawn === text) return;
  table.drawn = text;
  const data = JSON.parse(text);
  table.by ??= { column: null, down: false };
  const focused = [...table.querySelectorAll("button")].indexOf(document.activeElement);

  const onclick = (act) => (event) => {
    event.stopPropagation();
    act();
  };
  // A column of words begins at the left, also where one of them is a sign or a letter.
  const isWord = (cell) => typeof cell === "string" && /\p{L}{2}/u.test(cell);
  const areWords = data.header.map((_, column) => data.rows.some((row) => isWord(row[column])));
  const line = (cells, tag = "td", act = null) => make("tr", {}, ...cells.map((content, column) => {
    const cell = make(column ? tag : "th");
    if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
    const does = act?.(column);
    if (does) cell.append(make("button", { type: "button", textContent: content, onclick: onclick(does) }));
    else fill(cell, content, data.scales);
    cell.classList.toggle("words", areWords[column] && typeof content === "string");
    return cell;
  }));
  const choosable = (cells, number) => {
    if (data.chosen === undefined) return line(cells);
    const row = line(cells, "td", (column) => column === 0 && (() => table.pick(number)));
    row.querySelector("button").setAttribute("aria-pressed", String(number === data.chosen));
    row.classList.toggle("chosen", number === data.chosen);
    row.addEventListener("click", () => table.pick(number));
    return row;
  };
  const sorted = () => {
    const { column, down } = table.by;
    if (!data.sortable || column === null) return data.rows;
    const compare = comparing(data.signs);
    return data.rows.toSorted((a, b) => (down ? -1 : 1) * compare(a[column], b[column]));
  };
  const sort = (column) => {
    // Largest first, which is what readers usually want.
    table.by = { column, down: table.by.column === column ? !table.by.down : true };
    draw();
  };
  const header = line(data.header, "th", (column) => data.sortable && (() => sort(column)));
  const draw = () => {
    table.tBodies[0].replaceChildren(...sorted().map(choosable));
    [...header.cells].forEach((cell, column) => {
      const here = data.sortable && table.by.column === column;
      if (here) cell.ariaSort = table.by.down ? "descending" : "ascending";
      else cell.removeAttribute("aria-sort");
    });
  };
  table.className = data.css ?? "";
  table.caption.firstChild.textContent = data.caption;
  table.parentElement.setAttribute("aria-label", data.caption);
  table.tHead.replaceChildren(header, ...(data.query ? [line(data.query)] : []));
  table.tFoot.replaceChildren(...(data.total ? [line(data.total)] : []));
  draw();
  if (data.chosen !== undefined && table.inSight !== data.chosen) bringInSight(table, table.querySelector(".chosen"));
  table.inSight = data.chosen;
  if (focused >= 0) table.querySelectorAll("button")[focused]?.focus();
}
