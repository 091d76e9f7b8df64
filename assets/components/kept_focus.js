// Keeps the keyboard's focus in its place. If a button disappears or is disabled by its own click, the
// focus moves to the element in its place; if it turns the page, to the same button there, such as the
// tour's next stop; if another question is asked, or a room is closed, to what the page says then.

const CONTROLS = 'a[href], button, input, select, textarea, [tabindex="0"]';
const controls = () => [...document.querySelectorAll(`.st-key-page :is(${CONTROLS})`)];
const canBeReached = (control) => !control.disabled && control.tabIndex >= 0 && control.checkVisibility();
const title = () => document.querySelector(".stMainBlockContainer h1");
const keyOf = (target) => target.closest('[class*="st-key-"]').className.match(/st-key-\S+/)[0];
let last = null; // what has the focus, its key, and the controls before it

document.addEventListener("focusin", ({ target }) => {
  const all = target.matches(":focus-visible") ? controls() : [];
  const at = all.indexOf(target);
  // Not the options of an answer: once it is checked, they are drawn anew.
  const before = all.slice(0, at).filter(({ type }) => type !== "radio");
  last = at < 0 ? null : { target, key: keyOf(target), before, page: location.pathname, said: title()?.textContent };
});
document.addEventListener("pointerdown", () => { last = null; });

function follow() {
  if (!last || document.activeElement !== document.body) return;
  if (last.target.isConnected && !last.target.disabled) return;
  // During a run, a missing element may still come; without a connection, all are disabled.
  const { testScriptState, testConnectionState } = document.querySelector('[data-testid="stApp"]')?.dataset ?? {};
  if (testScriptState !== "notRunning" || testConnectionState !== "CONNECTED") return;
  const { before, key, page, said } = last;
  const asksNext = /^st-key-next_\d+$/.test(key) && document.querySelector(".st-key-page h3");
  const question = asksNext || (title()?.textContent !== said && title());
  if (page === location.pathname && question) {
    question.tabIndex = -1;
    question.focus();
    return;
  }
  const all = controls();
  const from = 1 + Math.max(-1, ...before.slice(-3).map((control) => all.indexOf(control)));
  const same = all.find((control) => keyOf(control) === key && canBeReached(control));
  const next = page === location.pathname && (from || !before.length) && all.slice(from).find(canBeReached);
  (next || same)?.focus?.({ preventScroll: true });
}
const watched = { childList: true, subtree: true, attributeFilter: ["disabled", "data-test-script-state"] };
new MutationObserver(follow).observe(document.body, watched);
