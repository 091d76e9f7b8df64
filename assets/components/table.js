// A plain table with a header row and a header column; every cell is set as text. If `sortable`, a
// click on a column's name sorts by it, and a second click reverses the order.

export default function ({ data: bytes, parentElement }) {
  const table = parentElement.querySelector("table");
  const text = new TextDecoder().decode(bytes);
  if (table.drawn === text) return;
  table.drawn = text;
  const data = JSON.parse(text);
  table.by ??= { column: null, down: false };

  const line = (cells) => {
    const row = document.createElement("tr");
    cells.forEach((content, column) => {
      const cell = document.createElement(column === 0 ? "th" : "td");
      if (column === 0) cell.scope = "row";
      cell.textContent = content;
      cell.classList.toggle("words", column > 0 && /\p{L}{2}/u.test(content));
      row.append(cell);
    });
    return row;
  };
  const sorted = () => {
    const { column, down } = table.by;
    if (!data.sortable || column === null) return data.rows;
    const compare = new Intl.Collator(document.documentElement.lang || undefined, { numeric: true }).compare;
    const [decimal, group] = data.signs; // as the page's language divides numbers
    const plain = (cell) => cell.replace("−", "-").replaceAll(group, "").replace(decimal, ".");
    const number = (cell) => (cell.trim() === "" ? NaN : Number(plain(cell)));
    const order = (a, b) => {
      const difference = number(a[column]) - number(b[column]);
      return Number.isNaN(difference) ? compare(a[column], b[column]) : difference;
    };
    return data.rows.toSorted((a, b) => (down ? -1 : 1) * order(a, b));
  };
  const draw = () => {
    [...header.cells].forEach((cell, column) => {
      const here = data.sortable && table.by.column === column;
      if (here) cell.ariaSort = table.by.down ? "descending" : "ascending";
      else cell.removeAttribute("aria-sort");
    });
    table.tBodies[0].replaceChildren(...sorted().map(line));
  };
  const header = document.createElement("tr");
  data.header.forEach((name, column) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    if (data.sortable) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => {
        // Largest first, which is what readers usually want.
        const again = table.by.column === column;
        table.by = { column, down: again ? !table.by.down : true };
        draw();
      });
      cell.append(button);
    } else {
      cell.textContent = name;
    }
    header.append(cell);
  });
  table.caption.firstChild.textContent = data.caption;
  table.parentElement.setAttribute("aria-label", data.caption);
  table.tHead.replaceChildren(header);
  draw();
}
