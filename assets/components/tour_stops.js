// The stops of the tour as cards: a drawing, a question, the page that answers it.

import { make } from "./texts.js";

export default function ({ sent, isNew, root: list, report }) {
  list.pick = (number) => report("picked", number);
  if (!isNew) return;
  list.replaceChildren(...sent.stops.map(({ drawing, question, page, answer }, number) => {
    const words = make("span", {}, `${number + 1}. ${question}`, make("small", {}, page));
    const button = make("button", { type: "button", innerHTML: drawing, onclick: () => list.pick(number) });
    button.append(words);
    return make("li", {}, button, ...(answer ? [make("p", {}, answer)] : []));
  }));
}
