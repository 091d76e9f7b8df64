// Pieces in a line, each with its probability below it, as a number and as a bar; and a note. All
// text is set as text.

export default function ({ data: bytes, parentElement }) {
  const list = parentElement.querySelector(".answer-pieces");
  const text = new TextDecoder().decode(bytes);
  if (list.drawn === text) return;
  list.drawn = text;
  const { name, pieces, note } = JSON.parse(text);
  parentElement.querySelector(".outside").textContent = note;
  list.setAttribute("aria-label", name);
  list.title = name;
  list.replaceChildren(
    ...pieces.map(([piece, shown, probability]) => {
      const item = document.createElement("li");
      const word = document.createElement("bdi");
      const number = document.createElement("span");
      word.textContent = piece;
      number.textContent = shown;
      item.style.setProperty("--sure", probability);
      item.append(word, number);
      return item;
    }),
  );
}
