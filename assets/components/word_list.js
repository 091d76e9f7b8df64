// The words of the field, with a search field. The address has the word that was asked for last; in a
// link of another program, it may be the anchor.

import { fill, make } from "./texts.js";

function entry({ anchor, name, says, section, forms, pages }, texts, list) {
  const onclick = (event) => {
    event.preventDefault();
    mark(made);
    list.ask(anchor);
  };
  const heading = make("h2", {}, make("a", { href: `#${anchor}`, onclick }, name));
  const where = make("p", { className: "where" }, ...(section ? [make("span", {}, section)] : []));
  for (const [page, title] of pages) {
    const ariaLabel = fill(texts.page, { title, word: name });
    where.append(make("button", { type: "button", ariaLabel, onclick: () => list.open(page) }, title));
  }
  const made = make("section", { id: anchor, tabIndex: -1 }, heading, make("p", {}, says), where);
  made.sought = [name, ...forms, says].join(" ").toLowerCase();
  return made;
}

function mark(section) {
  for (const other of section.parentElement.querySelectorAll(".asked")) other.classList.remove("asked");
  section.classList.add("asked");
  section.scrollIntoView({ block: "center" });
  section.focus({ preventScroll: true });
}

function search(list) {
  const sought = list.querySelector("input").value.trim().toLowerCase();
  const all = [...list.querySelector(".entries").children];
  for (const section of all) section.hidden = !section.sought.includes(sought);
  const number = all.filter(({ hidden }) => !hidden).length;
  const { nothing, found } = list.texts;
  list.querySelector(".found").textContent = !sought ? "" : number ? fill(found, { number }) : nothing;
}

function show(list, asked) {
  const section = [...list.querySelector(".entries").children].find(({ id }) => id === asked);
  if (!section) return;
  list.querySelector("input").value = "";
  search(list);
  mark(section);
}

export default function ({ sent, isNew, root: list, report }) {
  list.open = (page) => report("opened", page);
  list.ask = (word) => report("asked", word);
  if (!isNew) return;
  const { words, texts, asked } = sent;
  const first = !list.texts;
  list.texts = texts;
  list.querySelector("label span").textContent = texts.search;
  list.querySelector(".entries").replaceChildren(...words.map((one) => entry(one, texts, list)));
  if (first) {
    list.querySelector("input").addEventListener("input", () => search(list));
    list.addEventListener("asked", ({ detail }) => show(list, detail));
  }
  const other = asked !== list.asked;
  list.asked = asked;
  if (first || other) show(list, asked ?? location.hash.slice(1));
  else search(list); // in another language
}
