// A row of controls is one stop of the Tab key: the arrow keys, Home and End move along it.

const ALONG = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
// A menu in the row keeps its own keys, and is a stop of its own: its button is none.
const CONTROLS = ':is(button, [type="checkbox"]):not(:disabled, [data-testid="stSelectbox"] *)';

function stopAt(controls, chosen) {
  for (const control of controls) control.tabIndex = control === chosen ? 0 : -1;
}

// Scrolls a row that is wider than the screen along itself, until a control in it is in sight.
function showAlong(row, control) {
  const [{ left, right }, frame] = [control ?? row, row].map((one) => one.getBoundingClientRect());
  row.scrollLeft += Math.min(0, left - frame.left) || Math.max(0, right - frame.right);
}

const isChosen = ({ ariaPressed, ariaChecked }) => ariaPressed === "true" || ariaChecked === "true";

// Call it whenever the controls have been drawn: the stop is where the focus is, else at the one that is
// chosen, or the first.
export function oneStop(row) {
  const controls = [...row.querySelectorAll(CONTROLS)];
  const focused = controls.find((control) => control === document.activeElement);
  const stop = focused ?? controls.find(isChosen) ?? controls[0];
  stopAt(controls, stop);
  if (row.stop !== stop) {
    const strip = row.querySelector('[role="radiogroup"]') ?? row;
    showAlong(strip, strip.contains(stop) ? stop : controls.find(isChosen));
  }
  row.stop = stop;
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
