// Pieces in a line, each with its probability below it, as a number and as a bar; how sure all of
// them are, and a note. One of them may be chosen. All text is set as text.

import { oneStop } from "./one_stop.js";
import { fill, make } from "./texts.js";

// The number of pieces that are not completely visible, on each side where the line goes on.
function measure(row) {
  const list = row.querySelector(".answer-pieces");
  const more = row.querySelector(".more");
  more.hidden = true; // it takes room itself
  more.hidden = list.scrollWidth <= list.clientWidth + 1;
  const end = list.getBoundingClientRect().right + 1;
  const hidden = [...list.children].filter((item) => item.getBoundingClientRect().right > end).length;
  list.classList.toggle("more-left", list.scrollLeft > 1);
  list.classList.toggle("more-right", hidden > 0);
  list.classList.toggle("more-below", list.scrollHeight - list.clientHeight - list.scrollTop > 4);
  more.textContent = hidden ? `${fill(row.texts.more, { number: hidden })} ›` : "‹";
}

function begin(row) {
  const list = row.querySelector(".answer-pieces");
  list.addEventListener("scroll", () => measure(row), { passive: true });
  new ResizeObserver(() => measure(row)).observe(list);
  row.querySelector(".more").addEventListener("click", () => {
    const atEnd = list.scrollLeft + list.clientWidth >= list.scrollWidth - 1;
    list.scrollTo({ left: atEnd ? 0 : list.scrollLeft + 0.8 * list.clientWidth });
  });
}

export default function ({ sent, isNew, root: row, report }) {
  if (!isNew) return;
  if (!row.texts) begin(row);
  row.texts = sent;
  const { name, words, pieces, note, sure = "", points, chosen } = row.texts;
  row.querySelector(".outside").textContent = note;
  row.querySelector(".sure").textContent = sure;
  row.classList.toggle("unsure", sure.startsWith("⚠"));
  const list = row.querySelector(".answer-pieces");
  list.setAttribute("aria-label", words ? `${name}: ${words}` : name);
  const focused = [...list.querySelectorAll("button")].indexOf(document.activeElement);
  const choose = (number) => {
    if (chosen === null) return;
    for (const [at, { firstChild }] of [...list.children].entries()) firstChild.ariaPressed = String(at === number);
    const [{ left, right }, frame] = [list.children[number], list].map((one) => one.getBoundingClientRect());
    list.scrollLeft += Math.min(0, left - frame.left) || Math.max(0, right - frame.right);
  };
  list.replaceChildren(...pieces.map(([piece, shown, probability], at) => {
    const act = () => {
      choose(at);
      if (points === "picture") window.dispatchEvent(new CustomEvent("piece", { detail: at }));
      else report("picked", at);
    };
    const content = [make("bdi", {}, piece), make("small", {}, shown)];
    const inside = points ? make("button", { type: "button", onclick: act }, ...content) : make("span", {}, ...content);
    const item = make("li", {}, inside);
    item.style.setProperty("--sure", probability);
    return item;
  }));
  choose(chosen);
  list.querySelectorAll("button")[focused]?.focus({ preventScroll: true });
  oneStop(list);
  list.tabIndex = points ? -1 : 0; // without buttons in it, it is scrolled by its own focus
  measure(row);
}
