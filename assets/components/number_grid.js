// A matrix with editable cells. What is typed is read by the server, in the reader's language.

// The scripts are fetched by their version.
const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table");
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const hint = parentElement.querySelector(".number-hint");
  const rows = () => [...table.tBodies[0].rows];
  table.send = () => setTriggerValue("edited", rows().map((row) =>
    [...row.querySelectorAll("input")].map((input) => input.value)));

  const shape = `${data.cells.length}×${data.cells[0].length}`;
  if (table.shape !== shape) {
    table.shape = shape;
    table.tBodies[0].replaceChildren(...data.cells.map((row) => {
      const line = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      line.append(name, ...row.map(() => {
        const cell = document.createElement("td");
        const input = document.createElement("input");
        input.inputMode = "decimal";
        input.autocomplete = "off";
        input.maxLength = data.most;
        input.addEventListener("input", () => {
          clearTimeout(table.waiting);
          table.waiting = setTimeout(() => {
            table.waiting = null;
            table.send();
          }, 150);
        });
        cell.append(input);
        return cell;
      }));
      return line;
    }));
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
