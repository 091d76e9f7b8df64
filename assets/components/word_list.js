// The words of the field, with a search field. The address of a word is the page's with its anchor.

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function entry({ anchor, name, says, section, forms, pages }, open) {
  const made = element("section");
  made.id = anchor;
  made.tabIndex = -1;
  made.sought = [name, ...forms, says].join(" ").toLowerCase();
  const title = element("h2");
  const link = element("a", "", name);
  link.href = `#${anchor}`;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    history.replaceState(history.state, "", link.hash); // its address, ready to be copied
    mark(made);
  });
  title.append(link);
  const where = element("p", "where");
  if (section) where.append(element("span", "", `Section ${section}`));
  for (const [page, title] of pages) {
    const button = element("button", "", title);
    button.type = "button";
    button.setAttribute("aria-label", `${title}: the page that shows ${name}`);
    button.addEventListener("click", () => open(page));
    where.append(button);
  }
  made.append(title, element("p", "", says), where);
  return made;
}

function mark(section) {
  for (const other of section.parentElement.querySelectorAll(".asked")) other.classList.remove("asked");
  section.classList.add("asked");
  section.scrollIntoView({ block: "center" });
  section.focus({ preventScroll: true });
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const list = parentElement.querySelector(".word-list");
  list.open = (page) => setTriggerValue("opened", page);
  const text = new TextDecoder().decode(bytes);
  if (list.drawn === text) return;
  list.drawn = text;
  const entries = list.querySelector(".entries");
  entries.replaceChildren(...JSON.parse(text).words.map((one) => entry(one, (page) => list.open(page))));

  const search = list.querySelector("input");
  const found = list.querySelector(".found");
  search.addEventListener("input", () => {
    const sought = search.value.trim().toLowerCase();
    const all = [...entries.children];
    for (const section of all) section.hidden = !section.sought.includes(sought);
    const count = all.filter(({ hidden }) => !hidden).length;
    found.textContent = !sought ? "" : count === 0 ? "No word found: try a shorter one." : `${count} found`;
  });

  const show = () => {
    const asked = window.explorerWord ?? location.hash.slice(1);
    window.explorerWord = null;
    const section = [...entries.children].find(({ id }) => id === asked);
    if (!section) return;
    search.value = "";
    search.dispatchEvent(new Event("input"));
    mark(section);
  };
  list.addEventListener("asked", show);
  show();
}
