// A plain table with a header row and a header column; every cell is set as text.

export default function ({ data: bytes, parentElement }) {
  const table = parentElement.querySelector("table");
  const text = new TextDecoder().decode(bytes);
  if (table.drawn === text) return;
  table.drawn = text;
  const data = JSON.parse(text);

  const line = (cells, inHead) => {
    const row = document.createElement("tr");
    cells.forEach((content, column) => {
      const cell = document.createElement(inHead || column === 0 ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = inHead ? "col" : "row";
      cell.textContent = content;
      row.append(cell);
    });
    return row;
  };
  table.caption.textContent = data.caption;
  table.parentElement.setAttribute("aria-label", data.caption);
  table.tHead.replaceChildren(line(data.header, true));
  table.tBodies[0].replaceChildren(...data.rows.map((cells) => line(cells, false)));
}
