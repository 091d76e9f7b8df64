// The stops of the tour as cards: a drawing, a question, the page that answers it.

function card(stop, number) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const words = document.createElement("span");
  const page = document.createElement("small");
  button.type = "button";
  button.insertAdjacentHTML("afterbegin", stop.drawing);
  words.textContent = `${number + 1}. ${stop.question}`;
  page.textContent = stop.page;
  words.append(page);
  button.append(words);
  item.append(button);
  if (stop.answer) {
    const answer = document.createElement("p");
    answer.textContent = stop.answer;
    item.append(answer);
  }
  return item;
}

export default function ({ data: bytes, parentElement, report }) {
  const list = parentElement.querySelector("ol");
  const text = new TextDecoder().decode(bytes);
  list.pick = (number) => report("picked", number);
  if (list.drawn === text) return;
  list.drawn = text;
  const cards = JSON.parse(text).stops.map(card);
  cards.forEach((item, number) => {
    item.firstChild.onclick = () => list.pick(number);
  });
  list.replaceChildren(...cards);
}
