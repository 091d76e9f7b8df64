// One entry in the browser's history for each deed of the person's.
//
// Streamlit adds an entry whenever a script run changes the address. A run may follow from no deed
// at all (a training that goes on), or several runs from one (a page that is turned, a word that is
// typed letter by letter). Those changes belong to the entry that is there already.

let deed = 0;
let entered = -1; // the deed that made the newest entry
let typingIn = null;

function begin(event) {
  const field = event.target?.closest?.("input, textarea");
  const types = event.type === "beforeinput" || (event.type === "keydown" && field?.type === "text");
  if (types && event.key !== "Enter") {
    if (typingIn === field) return;
    typingIn = field;
  } else {
    typingIn = null;
  }
  deed += 1;
}

if (!window.explorerHistory) {
  window.explorerHistory = true;
  for (const type of ["pointerdown", "keydown", "beforeinput"]) {
    window.addEventListener(type, begin, { capture: true, passive: true });
  }
  const push = window.history.pushState.bind(window.history);
  const replace = window.history.replaceState.bind(window.history);
  window.history.pushState = (state, unused, url) => {
    if (entered === deed) return replace(state, unused, url);
    entered = deed;
    return push(state, unused, url);
  };
  window.addEventListener("popstate", () => {
    entered = deed; // what the page restores belongs to the entry that was gone back to
    typingIn = null;
  });
  entered = deed;
}

export default function history() {}
