// One query against every key as a table: one row per key, one column per step. Vectors are drawn
// as strips of cells, numbers on the colour of their value. A click or its button selects a row.

function mix(scale, at) {
  const x = Math.min(1, Math.max(0, at)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(x));
  return scale[low].map((channel, n) => channel + (x - low) * (scale[low + 1][n] - channel));
}

const css = (color) => `rgb(${color.map(Math.round).join(" ")})`;
// Whether black is easier to read on this colour than white; the better one has 4.5 : 1 at least.
const bright = (color) => {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179;
};

function strip(values, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = values.length;
  canvas.height = 1;
  canvas.setAttribute("aria-hidden", "true");
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
    cell.textContent = content;
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

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table");
  table.pick = (row) => setTriggerValue("picked", row);
  const text = new TextDecoder().decode(bytes);
  if (table.drawn === text) return;
  table.drawn = text;
  const data = JSON.parse(text);
  const focused = [...table.querySelectorAll("button")].indexOf(document.activeElement);

  table.caption.firstChild.textContent = data.caption;
  table.parentElement.setAttribute("aria-label", data.caption);
  const line = (cells, row, tag = "td") => {
    const element = document.createElement("tr");
    cells.forEach((content, column) => {
      const cell = document.createElement(column ? tag : "th");
      if (cell.tagName === "TH") cell.scope = tag === "th" ? "col" : "row";
      if (column === 0 && row !== null) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = content;
        button.setAttribute("aria-pressed", String(row === data.chosen));
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          table.pick(row);
        });
        cell.append(button);
      } else {
        fill(cell, content, data.scales);
      }
      element.append(cell);
    });
    if (row !== null) {
      element.classList.toggle("chosen", row === data.chosen);
      element.addEventListener("click", () => table.pick(row));
    }
    return element;
  };
  table.tHead.replaceChildren(line(data.header, null, "th"));
  if (data.query) table.tHead.append(line(data.query, null));
  table.tBodies[0].replaceChildren(...data.rows.map((cells, row) => line(cells, row)));
  table.tFoot.replaceChildren(line(data.total, null));
  if (focused >= 0) table.querySelectorAll("button")[focused]?.focus();
}
