// A matrix with editable cells. What is typed is read by the server, in the reader's language.

import { fill, make } from "./texts.js";

export default function ({ sent: data, root: table, parentElement, report }) {
  const hint = parentElement.querySelector(".number-hint");
  const rows = () => [...table.tBodies[0].rows];
  table.send = () => report("edited", rows().map((row) =>
    [...row.querySelectorAll("input")].map((input) => input.value)));

  const shape = `${data.cells.length}×${data.cells[0].length}`;
  if (table.shape !== shape) {
    table.shape = shape;
    const typed = () => {
      clearTimeout(table.waiting);
      table.waiting = setTimeout(() => {
        table.waiting = null;
        table.send();
      }, 150);
    };
    const field = { inputMode: "decimal", autocomplete: "off", maxLength: data.most, oninput: typed };
    table.tBodies[0].replaceChildren(...data.cells.map((row) => (
      make("tr", {}, make("th", { scope: "row" }), ...row.map(() => make("td", {}, make("input", field)))))));
  }
  table.caption.textContent = data.title;
  data.cells.forEach((row, r) => {
    const line = rows()[r];
    line.cells[0].textContent = data.names[r];
    row.forEach((text, c) => {
      const input = line.cells[c + 1].firstChild;
      const place = { title: data.title, row: data.names[r], column: c + 1 };
      input.setAttribute("aria-label", fill(data.cell, place));
      input.setAttribute("aria-invalid", data.wrong?.[0] === r && data.wrong[1] === c);
      const typing = table.waiting || input === input.getRootNode().activeElement;
      if (!typing && input.value !== text) input.value = text;
    });
  });
  hint.textContent = data.hint;
  hint.hidden = !data.hint;
}
