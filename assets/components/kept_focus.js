// Whoever uses the keyboard stays where they are: if a button goes away or is disabled by what it
// does, the focus moves to what stands in its place.

const CONTROLS = 'a[href], button, input, select, textarea, [tabindex="0"]';
const controls = () => [...document.querySelectorAll(`.st-key-page :is(${CONTROLS})`)];
const canBeReached = (control) => !control.disabled && control.tabIndex >= 0 && control.checkVisibility();
let last = null; // what has the focus, and the controls before it

document.addEventListener("focusin", ({ target }) => {
  const all = target.matches(":focus-visible") ? controls() : [];
  const at = all.indexOf(target);
  last = at < 0 ? null : { target, before: all.slice(0, at), page: location.pathname };
});
document.addEventListener("pointerdown", () => { last = null; });

function follow() {
  if (!last || document.activeElement !== document.body) return;
  if (last.target.isConnected && !last.target.disabled) return;
  // While it is running, what is missing may still come; without a connection, all is disabled.
  const { testScriptState, testConnectionState } = document.querySelector('[data-testid="stApp"]').dataset;
  if (testScriptState !== "notRunning" || testConnectionState !== "CONNECTED") return;
  const { before, page } = last;
  last = null;
  if (page !== location.pathname) return;
  const all = controls();
  const from = 1 + Math.max(-1, ...before.slice(-3).map((control) => all.indexOf(control)));
  if (from || !before.length) all.slice(from).find(canBeReached)?.focus({ preventScroll: true });
}
const watched = { childList: true, subtree: true, attributeFilter: ["disabled", "data-test-script-state"] };
new MutationObserver(follow).observe(document.body, watched);
