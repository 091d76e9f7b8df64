// One entry in the browser's history for each action of the visitor, and Back and Forward as events.
//
// Streamlit adds an entry whenever a script run changes the address. But a run may follow from no
// action at all (a training that goes on), and one action may cause several runs (opening a page, or
// typing a word letter by letter). Such changes belong to the current entry.

let action = 0;
let entered = 0; // the action that made the newest entry
let typingIn = null;
let tell = () => {};

function begin(event) {
  if (event.repeat) return; // a key held down is one action
  const field = event.target?.closest?.("input, textarea");
  const types = event.type === "beforeinput" || (event.type === "keydown" && field?.type?.startsWith("text"));
  if (types && event.key !== "Enter") {
    if (typingIn === field) return;
    typingIn = field;
  } else {
    typingIn = null;
  }
  action += 1;
}

for (const type of ["pointerdown", "keydown", "beforeinput"]) {
  window.addEventListener(type, begin, { capture: true, passive: true });
}
const push = window.history.pushState.bind(window.history);
const replace = window.history.replaceState.bind(window.history);
window.history.pushState = (state, unused, url) => {
  if (entered === action) return replace(state, unused, url);
  entered = action;
  return push(state, unused, url);
};

window.addEventListener("popstate", () => {
  entered = action; // what the page restores belongs to the entry now on screen
  typingIn = null;
  window.dispatchEvent(new Event("going-back")); // what is typed here is sent before it
  const { pathname, search } = window.location;
  tell({
    page: pathname.split("/").at(-1),
    params: Object.fromEntries(new URLSearchParams(search)),
  });
}, { capture: true });

// Tells of Back and Forward from now on.
export function whenBack(does) {
  tell = does;
}
