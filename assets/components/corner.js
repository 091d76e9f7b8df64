// The keys that work on every page, the page's language, and presenter mode: nothing but the page, in
// larger type. It lasts as long as the browser's tab.

for (const script of ["paper.js", "kept_focus.js", "translated.js"]) {
  await import(new URL(script, import.meta.url) + new URL(import.meta.url).search);
}

const KEPT = "explorer-presenting";
const SINGLE = "explorer-single-keys"; // "off": letters alone do nothing, Streamlit's R and C neither
const FIELDS = 'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';
const root = document.documentElement;
let corner = null; // the one on show
let texts = {};

function present(on) {
  root.classList.toggle("presenting", on);
  if (on) sessionStorage.setItem(KEPT, "yes");
  else sessionStorage.removeItem(KEPT);
  window.dispatchEvent(new Event("presenting"));
  nameButton();
}

function nameButton() {
  const on = root.classList.contains("presenting");
  const button = corner.querySelector(".present");
  button.title = on ? texts.leave : texts.present;
  button.setAttribute("aria-label", button.title);
}

// The links exist even where they are hidden.
function turn(to) {
  document.querySelector(`.st-key-page_${to} a`)?.click();
}

document.addEventListener("keydown", (event) => {
  const on = root.classList.contains("presenting");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest?.(FIELDS)) return;
  const key = event.key.toLowerCase();
  if (key.length === 1 && !singleKeysWork()) return;
  if (key === "p" || (key === "escape" && on)) present(!on);
  else if (key === "n") turn("after");
  else if (key === "b") turn("before");
  else if (key === "?") corner.querySelector("#keys").togglePopover();
  else if (key === "w") document.querySelector('.st-key-places a[href$="words"]')?.click();
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

// Streamlit's link leads to the container of the page; a listener wants to hear the question.
document.addEventListener("click", ({ target }) => {
  if (!target.closest?.('[data-testid="stSkipToContent"]')) return;
  const question = document.querySelector(".stMainBlockContainer h1");
  if (!question) return;
  question.tabIndex = -1;
  question.focus();
});

// The list of keys closes when the focus leaves it.
document.addEventListener("focusin", ({ target }) => {
  const keys = corner?.querySelector("#keys:popover-open");
  if (keys && !corner.contains(target)) keys.hidePopover();
});

function offerLanguages({ language, languages }, choose) {
  const menu = corner.querySelector("select");
  menu.ariaLabel = texts.language;
  menu.replaceChildren(...Object.entries(languages).map(([code, name]) => {
    const option = new Option(name, code, code === language, code === language);
    option.lang = code;
    return option;
  }));
  menu.onchange = () => choose(menu.value);
}

function listKeys() {
  corner.querySelector(".keys").textContent = texts.keys;
  corner.querySelector("dl").ariaLabel = texts.keys;
  corner.querySelector("dl").replaceChildren(...texts.shortcuts.flatMap((pair) =>
    pair.map((text, at) => Object.assign(document.createElement(at ? "dd" : "dt"), { textContent: text }))));
  offerSingleKeys();
}

// People who use speech input, or type with a tremor, may switch the letters off.
const singleKeysWork = () => localStorage.getItem(SINGLE) !== "off";

function offerSingleKeys() {
  const [box, name] = corner.querySelectorAll(".single > *");
  name.textContent = texts.single;
  box.checked = singleKeysWork();
  box.onchange = () => localStorage.setItem(SINGLE, box.checked ? "on" : "off");
}

window.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(FIELDS)) return;
  if (/^[rc]$/i.test(event.key) && !singleKeysWork()) event.stopPropagation();
}, { capture: true });

// The link to the page on show is marked, also for screen readers. The links come after the corner,
// and Streamlit reuses those of one page for the next.
let page = "";
let rows = [];

function markPage() {
  if (rows.length < 2 || !rows.every((row) => row.isConnected)) {
    rows = [...document.querySelectorAll(".st-key-places, .st-key-pages")];
  }
  for (const link of rows.flatMap((row) => [...row.getElementsByTagName("a")])) {
    const name = link.getAttribute("href").split("/").pop() || "home";
    link.ariaCurrent = name === page ? "page" : null;
  }
}
new MutationObserver(markPage).observe(document.body, { childList: true, subtree: true, attributeFilter: ["href"] });

// Elements that Streamlit draws beside its app, such as an open menu, have the app's theme, too.
function followTheme() {
  root.style.colorScheme = getComputedStyle(document.querySelector('[data-testid="stApp"]')).colorScheme;
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(followTheme, 100));

// See coming.css.
function revealOnceDrawn() {
  const look = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    const isComing = app.dataset.testScriptState !== "notRunning"
      || document.querySelector('[data-testid="stMain"] :is([data-testid="stSkeleton"], .coming)');
    if (isComing) requestAnimationFrame(look);
    else root.classList.add("is-drawn");
  };
  look();
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const data = JSON.parse(new TextDecoder().decode(bytes));
  const first = corner === null;
  if (first) revealOnceDrawn();
  corner = parentElement.querySelector(".corner");
  ({ texts } = data);
  followTheme();
  root.lang = data.language;
  root.dir = data.direction;
  offerLanguages(data, (code) => setTriggerValue("spoken", code));
  listKeys();
  ({ page } = data);
  markPage();
  corner.querySelector(".present").onclick = () => present(!root.classList.contains("presenting"));
  if (first && sessionStorage.getItem(KEPT)) present(true);
  else nameButton();
}
