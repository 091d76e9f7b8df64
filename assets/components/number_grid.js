// A matrix with editable cells. Nothing is sent until every cell is a valid number.

// The scripts are fetched by their version.
const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table");
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const hint = parentElement.querySelector(".number-hint");
  hint.textContent = data.texts.hint;
  const inputs = () => [...table.querySelectorAll("input")];
  const send = () => {
    const valid = inputs().every((input) => input.checkValidity());
    hint.hidden = valid;
    if (!valid) return;
    const numbers = inputs().map((input) => input.valueAsNumber);
    const width = data.values[0].length;
    setTriggerValue("edited", data.values.map((row, n) => numbers.slice(n * width, (n + 1) * width)));
  };
  table.send = send;

  const shape = `${data.values.length}×${data.values[0].length}`;
  if (table.shape !== shape) {
    table.shape = shape;
    table.tBodies[0].replaceChildren(...data.values.map((row, r) => {
      const line = document.createElement("tr");
      const name = document.createElement("th");
      name.scope = "row";
      line.append(name, ...row.map((_, c) => {
        const cell = document.createElement("td");
        const input = document.createElement("input");
        input.type = "number";
        input.step = "any";
        input.required = true;
        input.min = -data.most;
        input.max = data.most;
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
  data.values.forEach((row, r) => {
    const line = table.tBodies[0].rows[r];
    line.cells[0].textContent = data.names[r];
    row.forEach((value, c) => {
      const input = line.cells[c + 1].firstChild;
      const place = { title: data.title, row: data.names[r], column: c + 1 };
      input.setAttribute("aria-label", fill(data.texts.cell, place));
      const typing = table.waiting || input === input.getRootNode().activeElement;
      if (!typing && input.valueAsNumber !== value) input.value = String(value);
    });
  });
  hint.hidden = inputs().every((input) => input.checkValidity());
}
