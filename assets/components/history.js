// One entry in the browser's history for each action of the visitor.
//
// Streamlit adds an entry whenever a script run changes the address. But a run may follow from no
// action at all (a training that goes on), and one action may cause several runs (opening a page, or
// typing a word letter by letter). Such changes belong to the current entry.

let action = 0;
let entered = -1; // the action that made the newest entry
let typingIn = null;

function begin(event) {
  if (event.repeat) return; // a key held down is one action
  const field = event.target?.closest?.("input, textarea");
  const types = event.type === "beforeinput" || (event.type === "keydown" && field?.type === "text");
  if (types && event.key !== "Enter") {
    if (typingIn === field) return;
    typingIn = field;
  } else {
    typingIn = null;
  }
  action += 1;
}

if (!window.explorerHistory) {
  window.explorerHistory = true;
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
  });
  entered = action;
}

let asking;
let asked = 0;

export default function history({ data, setStateValue }) {
  clearInterval(asking);
  if (!JSON.parse(new TextDecoder().decode(data)).answer) return;
  // A server that is still starting may lose a message: send it until it draws this again. A state is
  // also sent to a server that has taken over.
  const say = () => setStateValue("ready", asked += 1);
  say();
  asking = setInterval(say, 2000);
}
