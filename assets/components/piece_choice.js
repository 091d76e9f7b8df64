// Pieces in a line, one of them chosen; another one is chosen by a click or with the arrow keys. All
// text is set as text.

const { make } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

function drawn([piece, shown, probability]) {
  const item = make("li", { role: "radio" }, make("bdi", {}, piece), make("span", {}, shown));
  item.style.setProperty("--sure", probability);
  return item;
}

function mark(list, focused) {
  for (const [number, item] of [...list.children].entries()) {
    item.setAttribute("aria-checked", String(number === list.at));
    item.tabIndex = number === list.at ? 0 : -1;
  }
  const item = list.children[list.at];
  const [inside, frame] = [item, list].map((element) => element.getBoundingClientRect());
  list.scrollTop += Math.min(0, inside.top - frame.top) || Math.max(0, inside.bottom - frame.bottom);
  if (focused) item.focus({ preventScroll: true });
}

export default function ({ sent, isNew, root: list, report }) {
  list.pick = (number) => {
    Object.assign(list, { at: number, waits: true });
    mark(list, true);
    list.children[number].scrollIntoView({ block: "nearest" });
    report("picked", number);
  };
  if (!isNew) return;
  const { name, pieces, chosen } = sent;
  list.setAttribute("aria-label", name);
  list.title = name;
  // The last picked piece stays, while the page still shows the one before.
  list.waits &&= list.at !== chosen && list.children.length === pieces.length;
  if (!list.waits) list.at = chosen;
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...pieces.map(drawn));
  mark(list, focused);
  list.onclick = ({ target }) => {
    const number = Array.prototype.indexOf.call(list.children, target.closest("li"));
    if (number >= 0) list.pick(number);
  };
  list.onkeydown = (event) => {
    const ends = { Home: 0, End: pieces.length - 1 };
    const to = ends[event.key] ?? (event.key in STEPS ? list.at + STEPS[event.key] : -1);
    if (!pieces[to] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== list.at) list.pick(to);
  };
}
