// The page's language, and presenter mode: nothing but the page, in larger type. It lasts as long as
// the browser's tab.

await import(new URL("paper.js", import.meta.url) + new URL(import.meta.url).search);

const KEPT = "explorer-presenting";
const FIELDS = 'input:not([type="range"], [type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';
const root = document.documentElement;
let foot = null; // the one on show
let turn = () => {};
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
  const button = foot.querySelector("button");
  button.textContent = on ? texts.leave : texts.present;
}

document.addEventListener("keydown", (event) => {
  const on = root.classList.contains("presenting");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest?.(FIELDS)) return;
  const key = event.key.toLowerCase();
  if (key === "p" || (key === "escape" && on)) present(!on);
  else if (on && key === "n") turn(1);
  else if (on && key === "b") turn(-1);
});

// Streamlit's link leads to the container of the page; the question is what one wants to hear.
document.addEventListener("click", ({ target }) => {
  if (!target.closest?.('[data-testid="stSkipToContent"]')) return;
  const question = document.querySelector(".stMainBlockContainer h1");
  if (!question) return;
  question.tabIndex = -1;
  question.focus();
});

function offerLanguages({ language, languages }, choose) {
  const menu = foot.querySelector("select");
  foot.querySelector("label span").textContent = texts.language;
  menu.replaceChildren(...Object.entries(languages).map(([code, name]) => {
    const option = new Option(name, code, code === language, code === language);
    option.lang = code;
    return option;
  }));
  menu.onchange = () => choose(menu.value);
}

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
  const first = foot === null;
  if (first) revealOnceDrawn();
  foot = parentElement.querySelector(".foot");
  ({ texts } = data);
  root.lang = data.language;
  root.dir = data.direction;
  offerLanguages(data, (code) => setTriggerValue("spoken", code));
  foot.querySelector("button").onclick = () => present(!root.classList.contains("presenting"));
  turn = (by) => setTriggerValue("turned", by);
  if (first && sessionStorage.getItem(KEPT)) present(true);
  else nameButton();
}
