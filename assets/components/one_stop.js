// A row of controls is one stop of the Tab key: the arrow keys, Home and End move along it.

const ALONG = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
// A menu in the row keeps its own keys, and is a stop of its own: its button is none.
const CONTROLS = ':is(button, [type="checkbox"]):not(:disabled, [data-testid="stSelectbox"] *)';

function stopAt(controls, chosen) {
  for (const control of controls) control.tabIndex = control === chosen ? 0 : -1;
}

const isChosen = ({ ariaPressed, ariaChecked }) => ariaPressed === "true" || ariaChecked === "true";

// Call it whenever the controls have been drawn: the stop is where the focus is, else at the one that is
// chosen, or the first.
export function oneStop(row) {
  const controls = [...row.querySelectorAll(CONTROLS)];
  const focused = controls.find((control) => control === document.activeElement);
  stopAt(controls, focused ?? controls.find(isChosen) ?? controls[0]);
  for (const control of controls) control.onfocus = () => stopAt(controls, control); // also by a click
  row.onkeydown = (event) => {
    const at = controls.indexOf(event.target);
    const ends = { Home: 0, End: controls.length - 1 };
    const to = ends[event.key] ?? (event.key in ALONG ? at + ALONG[event.key] : -1);
    if (at < 0 || !controls[to] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    controls[to].focus();
  };
}
