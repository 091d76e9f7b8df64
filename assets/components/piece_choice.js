// Pieces in a line, one of them chosen; another one is chosen by a click or with the arrow keys. All
// text is set as text.

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

function drawn([piece, shown, probability], isChosen) {
  const item = document.createElement("li");
  const word = document.createElement("bdi");
  const number = document.createElement("span");
  word.textContent = piece;
  number.textContent = shown;
  item.style.setProperty("--sure", probability);
  item.setAttribute("role", "radio");
  item.setAttribute("aria-checked", String(isChosen));
  item.tabIndex = isChosen ? 0 : -1;
  item.append(word, number);
  return item;
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector("ol");
  const text = new TextDecoder().decode(bytes);
  list.pick = (number) => setTriggerValue("picked", number);
  if (list.drawn === text) return;
  list.drawn = text;
  const { name, pieces, chosen } = JSON.parse(text);
  list.setAttribute("aria-label", name);
  list.title = name;
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...pieces.map((piece, number) => drawn(piece, number === chosen)));
  list.children[chosen].scrollIntoView({ block: "nearest", inline: "nearest" });
  if (focused) list.children[chosen].focus({ preventScroll: true });
  list.onclick = ({ target }) => {
    const number = Array.prototype.indexOf.call(list.children, target.closest("li"));
    if (number >= 0) list.pick(number);
  };
  list.onkeydown = (event) => {
    const ends = { Home: 0, End: pieces.length - 1 };
    const to = ends[event.key] ?? (event.key in STEPS ? chosen + STEPS[event.key] : -1);
    if (!pieces[to] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (to !== chosen) list.pick(to);
  };
}
