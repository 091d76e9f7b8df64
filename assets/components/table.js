// A table with a header row and a header column. A cell holds text, a number on the colour of its
// value, or a vector as a strip of coloured cells. In some tables, a click on a row, or on its button,
// chooses it.

import { oneStop } from "./one_stop.js";
import { shade } from "./palette.js";
import { make } from "./texts.js";

// Whether black is easier to read on this colour than white. The better of the two always has a
// contrast of at least 4.5 : 1.
export const needsBlackText = (color) => {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179;
};

function strip(values, scale) {
  const canvas = make("canvas", { width: values.length, height: 1, ariaHidden: "true" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(values.length, 1);
  values.forEach((value, n) => {
    image.data.set([...shade(scale, (value + 100) / 200), 255], 4 * n);
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
    const color = shade(scales[content.scale], content.at);
    cell.style.background = `rgb(${color.join(" ")})`;
    cell.style.color = needsBlackText(color) ? "#000000" : "#FFFFFF";
  }
}

// The table scrolls as far as is needed; the page stays where it is.
function bringInSight(table, row) {
  const head = table.tHead.rows[0].cells[0].getBoundingClientRect();
  const [frame, { top, bottom }] = [table.parentElement, row].map((part) => part.getBoundingClientRect());
  table.parentElement.scrollTop += Math.min(0, top - head.bottom) || Math.max(0, bottom - frame.bottom);
}

export default function ({ sent: data, isNew, root, report }) {
  const table = root.querySelector("table");
  table.pick = (row) => report("picked", row);
  if (!isNew) return;
  const focused = [...table.querySelectorAll("button")].indexOf(document.activeElement);

  // A column of words is aligned at the left, even where a cell holds only a sign or a letter.
  const isWord = (cell) => typeof cell === "string" && /\p{L}{2}/u.test(cell);
  const areWords = data.header.map((_, column) => data.rows.some((row) => isWord(row[column])));
  const makeRow = (cells, tag = "td") => make("tr", {}, ...cells.map((content, column) => {
    const cell = make(column ? tag : "th");
    if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
    fill(cell, content, data.scales);
    cell.classList.toggle("words", areWords[column] && typeof content === "string");
    return cell;
  }));
  const choosable = (cells, number) => {
    const row = makeRow(cells);
    if (data.chosen === undefined) return row;
    const isChosen = number === data.chosen;
    row.cells[0].replaceChildren(make("button", { type: "button", ariaPressed: String(isChosen) }, cells[0]));
    row.classList.toggle("chosen", isChosen);
    row.onclick = () => table.pick(number); // its button, too
    return row;
  };
  table.className = data.css ?? "";
  table.style.setProperty("--rows", data.rows.length);
  table.caption.firstChild.textContent = data.caption;
  table.parentElement.setAttribute("aria-label", data.caption);
  table.parentElement.tabIndex = data.chosen === undefined ? 0 : -1; // rows that are chosen can be reached
  table.tHead.replaceChildren(makeRow(data.header, "th"), ...(data.query ? [makeRow(data.query)] : []));
  table.tBodies[0].replaceChildren(...data.rows.map(choosable));
  table.tFoot.replaceChildren(...(data.total ? [makeRow(data.total)] : []));
  if (data.chosen !== undefined && table.inSight !== data.chosen) bringInSight(table, table.querySelector(".chosen"));
  table.inSight = data.chosen;
  if (focused >= 0) table.querySelectorAll("button")[focused]?.focus();
  if (data.chosen !== undefined) oneStop(table.tBodies[0]);
}
