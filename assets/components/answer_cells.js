// A grid of cells to mark. The arrow keys move, the space bar marks. All text is set as text.

import { make } from "./texts.js";

const onPhone = matchMedia("(pointer: coarse)").matches;
const KEPT = "explorer-marked"; // the marks of this window, and what they answer: over a reload

function recall(name) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    return name && kept?.name === name ? kept.cells : null;
  } catch {
    return null; // no storage is allowed here
  }
}

function remember(name, cells) {
  try {
    if (name) sessionStorage.setItem(KEPT, JSON.stringify({ name, cells }));
  } catch {
    // Then a reload loses them.
  }
}

export default function ({ sent: data, isNew, root, report }) {
  if (!isNew) return;
  const table = root.querySelector("table");
  const question = JSON.stringify([data.name, data.rows, data.columns, data.open, data.states, data.keep]);
  // While somebody marks cells, the server's marks may be older than those on the screen.
  const same = root.question === question && data.open;
  const kept = root.session !== data.session && recall(data.keep);
  if (kept) report("picked", kept); // this server does not know
  root.question = question;
  root.session = data.session;
  if (same) return;

  const at = (row, column) => `${row},${column}`;
  const marks = new Map(data.marks.map(([r, c, mark, sign, word]) => [at(r, c), { mark, sign, word }]));
  const pressed = new Set((kept || data.pressed).map(([r, c]) => at(r, c)));
  const cells = [];

  const name = (row, column) => {
    const found = marks.get(at(row, column));
    const { on, off } = data.states;
    const state = found ? found.word : data.open ? (pressed.has(at(row, column)) ? on : off) : "";
    return [data.rows[row], data.columns[column], state].filter(Boolean).join(", ");
  };
  const show = (row, column) => {
    const button = cells[row][column];
    const on = pressed.has(at(row, column));
    const found = marks.get(at(row, column));
    button.setAttribute("aria-pressed", on);
    button.setAttribute("aria-label", name(row, column));
    button.dataset.mark = found ? found.mark : "";
    button.textContent = found?.sign ?? (data.open && on ? "■" : "");
    if (found) button.style.setProperty("--mark", data.colors[found.mark]);
  };
  const toggle = (row, column) => {
    const cell = at(row, column);
    if (!pressed.delete(cell)) pressed.add(cell);
    show(row, column);
    const picked = [...pressed].map((where) => where.split(",").map(Number));
    remember(data.keep, picked);
    report("picked", picked);
  };
  const focusCell = (row, column) => {
    const target = cells[row]?.[column];
    if (!target) return;
    cells.flat().forEach((button) => (button.tabIndex = -1));
    target.tabIndex = 0;
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

  const header = (label, scope) => make("th", { scope }, make("bdi", {
    textContent: label,
    className: /(^| · )PAD$/.test(label) ? "pad" : "", // a typed “PAD” has quotes
  }));
  const button = (row, column) => make("button", {
    type: "button",
    tabIndex: row || column ? -1 : 0,
    ariaDisabled: !data.open,
    onclick: () => {
      focusCell(row, column);
      if (data.open) toggle(row, column);
    },
    onkeydown: (event) => {
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      focusCell(row + step[0], column + step[1]);
    },
  });
  table.setAttribute("aria-label", data.name);
  table.tHead.replaceChildren(make("tr", {}, make("td"), ...data.columns.map((label) => header(label, "col"))));
  table.tBodies[0].replaceChildren(...data.rows.map((label, row) => {
    cells.push(data.columns.map((_, column) => button(row, column)));
    return make("tr", {}, header(label, "row"), ...cells[row].map((cell) => make("td", {}, cell)));
  }));
  cells.forEach((line, row) => line.forEach((_, column) => show(row, column)));
  const key = root.querySelector(".key");
  key.textContent = (onPhone && data.tap) || data.key;
  key.hidden = !data.key;
  const scroll = root.querySelector(".scroll"), more = root.querySelector(".more");
  more.textContent = data.more;
  const tell = () => {
    const hidden = scroll.scrollWidth - scroll.clientWidth;
    more.hidden = hidden < 4;
    scroll.classList.toggle("goes-on", hidden - Math.abs(scroll.scrollLeft) > 4);
  };
  scroll.onscroll = tell;
  root.resized?.disconnect();
  root.resized = new ResizeObserver(tell);
  root.resized.observe(scroll);
}
