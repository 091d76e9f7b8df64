// The words of the field, with a search field. The address has the word that was asked for last; in a
// link of another program, it may be the anchor.

const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function entry({ anchor, name, says, section, forms, pages }, texts, list) {
  const made = element("section");
  made.id = anchor;
  made.tabIndex = -1;
  made.sought = [name, ...forms, says].join(" ").toLowerCase();
  const heading = element("h2");
  const link = element("a", "", name);
  link.href = `#${anchor}`;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    mark(made);
    list.ask(anchor);
  });
  heading.append(link);
  const where = element("p", "where");
  if (section) where.append(element("span", "", section));
  for (const [page, title] of pages) {
    const button = element("button", "", title);
    button.type = "button";
    button.setAttribute("aria-label", fill(texts.page, { title, word: name }));
    button.addEventListener("click", () => list.open(page));
    where.append(button);
  }
  made.append(heading, element("p", "", says), where);
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

export default function ({ data: bytes, parentElement, report }) {
  const list = parentElement.querySelector(".word-list");
  list.open = (page) => report("opened", page);
  list.ask = (word) => report("asked", word);
  const data = new TextDecoder().decode(bytes);
  if (list.drawn === data) return;
  const first = list.drawn === undefined;
  list.drawn = data;
  const { words, texts, asked } = JSON.parse(data);
  list.texts = texts;
  list.querySelector("label span").textContent = texts.search;
  list.querySelector(".entries").replaceChildren(...words.map((one) => entry(one, texts, list)));
  if (first) {
    list.querySelector("input").addEventListener("input", () => search(list));
    list.addEventListener("asked", ({ detail }) => show(list, detail));
  }
  const isNew = asked !== list.asked;
  list.asked = asked;
  if (first || isNew) show(list, asked ?? location.hash.slice(1));
  else search(list); // in another language
}
