// The head of every page: its links, the keys that work everywhere, the language, and presenter mode:
// nothing but the page, in larger type. It lasts as long as the browser's tab.

import { whenBack } from "./history.js";
import "./paper.js";
import "./kept_focus.js";
import { oneStop } from "./one_stop.js";
import "./translated.js";

// Rows of controls that Streamlit draws.
const ROWS = '[class*="st-key-stepper_"], .st-key-what_if, [role="radiogroup"]:not([class*="st-key-stepper_"] *)';
const KEPT = "explorer-presenting";
const SINGLE = "explorer-single-keys"; // "off": letters alone do nothing, Streamlit's R and C neither
const FIELDS = 'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';
const root = document.documentElement;
let head = null; // the one on show
let texts = {};
let report = null;
const part = (selector) => head.querySelector(selector);

// A text is written only if it is new: a browser may have translated it.
const written = new WeakMap();

function write(element, text) {
  if (written.get(element) === text) return;
  written.set(element, text);
  element.textContent = text;
}

// The links of a row; elements stay, and with them the focus.
function fill(row, links, page) {
  const shown = [...row.children].filter(({ localName }) => localName === "a");
  for (const link of shown.splice(links.length)) link.remove();
  links.forEach(([name, title], at) => {
    const link = shown[at] ?? row.appendChild(document.createElement("a"));
    link.dataset.page = name;
    link.ariaCurrent = name === page ? "page" : null;
    address(link);
    write(link, title);
  });
}

// The pages of a place stand behind its name.
function fillPages(pages, page) {
  const place = part(".places > .all > a[aria-current]");
  const row = part(".pages");
  row.hidden = pages.length < 2;
  fill(row, pages, page);
  if (place && row.previousElementSibling !== place) place.after(row);
}

// A link leads to its page with the choices of this one, for whoever copies it or opens another tab:
// outside of the room, which would turn the page at once to the one of whoever leads.
function address(link) {
  const { page } = link.dataset;
  const choices = new URLSearchParams(location.search);
  choices.delete("room");
  link.setAttribute("href", `${page === "home" ? "./" : page}?${choices}`);
}
for (const type of ["pointerdown", "keydown"]) {
  document.addEventListener(type, ({ target }) => {
    const link = target.closest?.(".head a");
    if (link) address(link);
  });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".head a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  part("#all_pages").hidePopover();
  report("went", link.dataset.page);
});

function drawLinks({ page, here: [place, title], places, pages, words, before, after }) {
  fill(part(".places > .all"), places.map(([name, last]) => [last, name]), page);
  fillPages(pages, page);
  fill(part(".words"), words, page);
  fillBeside(".page_before", before);
  fillBeside(".page_after", after);
  write(part(".all_pages span"), place && place !== title ? `${place} · ` : "");
  write(part(".all_pages b"), title);
  const rows = part("#all_pages").children;
  places.forEach(([name, , listed], at) => {
    write(rows[2 * at], name);
    fill(rows[2 * at + 1], listed, page);
  });
  fill(rows[2 * places.length], words, page);
}

// Arrows, with the pages' names for those who hear or point.
function fillBeside(side, links) {
  fill(part(side), links);
  for (const link of part(side).children) link.title = link.textContent;
}

function present(on) {
  root.classList.toggle("presenting", on);
  if (on) sessionStorage.setItem(KEPT, "yes");
  else sessionStorage.removeItem(KEPT);
  window.dispatchEvent(new Event("presenting"));
  nameButton();
}

function nameButton() {
  const on = root.classList.contains("presenting");
  const button = part(".present");
  button.title = on ? texts.leave : texts.present;
  button.setAttribute("aria-label", button.title);
}

// The links exist even where they are hidden.
document.addEventListener("keydown", (event) => {
  if (!head) return; // the page is still coming
  const on = root.classList.contains("presenting");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest?.(FIELDS)) return;
  const key = event.key.toLowerCase();
  if (key.length === 1 && !singleKeysWork()) return;
  if (key === "p" || (key === "escape" && on)) present(!on);
  else if (key === "n") part(".page_after a")?.click();
  else if (key === "b") part(".page_before a")?.click();
  else if (key === "w") part(".words a").click();
  else if (key === "?") part("#keys").togglePopover();
});

// A part that a key unfolds is at the end of the document: the next Tab moves the focus into it.
function enterUnfolded(tries = 60) {
  const body = document.querySelector('[data-testid="stPopoverBody"]');
  if (body) {
    body.tabIndex = -1;
    body.focus({ preventScroll: true });
  } else if (tries) requestAnimationFrame(() => enterUnfolded(tries - 1));
}
document.addEventListener("click", ({ detail, target }) => {
  if (detail === 0 && target.closest?.(".stPopover button")) enterUnfolded();
});

let due = 0;
new MutationObserver(() => {
  due ||= requestAnimationFrame(() => {
    due = 0;
    document.querySelectorAll(ROWS).forEach(oneStop);
  });
}).observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled", "aria-checked"] });

// Streamlit's link leads to the container of the page; a listener wants to hear the question.
document.addEventListener("click", ({ target }) => {
  if (!target.closest?.('[data-testid="stSkipToContent"]')) return;
  const question = document.querySelector(".st-key-tour_head p") ?? document.querySelector(".stMainBlockContainer h1");
  if (!question) return;
  question.tabIndex = -1;
  question.focus();
});

// The list of keys closes when the focus leaves it.
document.addEventListener("focusin", ({ target }) => {
  if (!target.closest?.(".corner")) head?.querySelector("#keys").hidePopover();
});

function offerLanguages({ language, languages }) {
  const menu = part("select");
  menu.ariaLabel = texts.language;
  menu.onchange = () => report("spoken", menu.value);
  if (menu.length && language === root.lang) return; // it may be open
  menu.replaceChildren(...Object.entries(languages).map(([code, name]) => {
    const option = new Option(name, code, code === language, code === language);
    option.lang = code;
    return option;
  }));
}

function listKeys() {
  write(part(".keys"), texts.keys);
  part("dl").ariaLabel = texts.keys;
  [...part("dl").children].forEach((cell, at) => write(cell, texts.shortcuts[at]));
  write(part(".single span"), texts.single);
  const box = part(".single input");
  box.checked = singleKeysWork();
  box.onchange = () => localStorage.setItem(SINGLE, box.checked ? "on" : "off");
}

// People who use speech input, or type with a tremor, may switch the letters off.
const singleKeysWork = () => localStorage.getItem(SINGLE) !== "off";

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(FIELDS)) return;
  if (/^[rc]$/i.test(event.key) && !singleKeysWork()) event.stopPropagation();
}, { capture: true });

// Elements that Streamlit draws beside its app, such as an open menu, have the app's theme, too.
function followTheme() {
  const app = document.querySelector('[data-testid="stApp"]') ?? head;
  root.style.colorScheme = getComputedStyle(app).colorScheme;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(followTheme, 100));

// See coming.css, whose animations some browsers do not have.
const PICTURES = 6000; // milliseconds until a page is shown though its pictures still change
const ALL = 20000; // milliseconds until it is shown whatever is on its way

function revealOnceDrawn() {
  let before;
  const begun = performance.now();
  const look = () => {
    const since = performance.now() - begun;
    // What stands around a picture may give it another size, and then it is drawn once more.
    const drawn = [...document.querySelectorAll(".plot")].map(({ dataset }) => dataset.drawn).join();
    const app = document.querySelector('[data-testid="stApp"]');
    const isComing = (app?.dataset.testScriptState ?? "notRunning") !== "notRunning"
      || document.querySelector('[data-testid="stMain"] :is([data-testid="stSkeleton"], .coming)')
      || !document.querySelector(".st-key-run_ends [data-script]") // what is on its way is not there yet
      || (drawn !== before && since < PICTURES);
    before = drawn;
    if (isComing && since < ALL) requestAnimationFrame(look);
    else root.classList.add("is-drawn");
  };
  look();
}

// A page begins at its top; Back and Forward lead to where it was left.
const left = new Map(); // how far down, by page
let shown = null;
let goesBack = false;
let toScroll = 0; // to where the page in front is to be scrolled once it is there
const main = () => document.querySelector('[data-testid="stMain"]');

function beginAtTop(page) {
  if (page === shown) return;
  shown = page;
  main()?.scrollTo(0, 0);
  toScroll = goesBack ? left.get(page) ?? 0 : 0;
}

function scrollBack(tries) { // the page grows while its pictures are drawn
  if (!toScroll) return;
  main()?.scrollTo(0, toScroll);
  if (main()?.scrollTop < toScroll - 1 && tries) requestAnimationFrame(() => scrollBack(tries - 1));
  else toScroll = 0;
}
window.addEventListener("run-ends", () => scrollBack(60));
for (const type of ["pointerdown", "keydown", "wheel", "popstate"]) {
  window.addEventListener(type, () => {
    toScroll = 0;
    if (type === "wheel") return;
    if (shown) left.set(shown, main()?.scrollTop ?? 0);
    goesBack = type === "popstate";
  }, { capture: true, passive: true });
}

// They stand in Streamlit's first page (see web/first_frame.py) for as long as there is a place for them.
function fetchStyles() {
  if (document.querySelector(".first-frame")) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("all.css", import.meta.url) });
  document.head.append(link);
}

export default function ({ sent: data, root: nav, report: tell }) {
  const first = head === null;
  if (first) {
    fetchStyles();
    revealOnceDrawn();
  }
  [head, texts, report] = [nav, data.texts, tell];
  whenBack((to) => tell("back", to));
  followTheme();
  drawLinks(data);
  beginAtTop(data.page);
  offerLanguages(data);
  listKeys();
  [root.lang, root.dir] = [data.language, data.direction];
  part(".present").onclick = () => present(!root.classList.contains("presenting"));
  if (first && sessionStorage.getItem(KEPT)) present(true);
  else nameButton();
}
