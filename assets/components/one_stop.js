// A line of buttons is one stop of the Tab key: the arrow keys, Home and End move along it.

const ALONG = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

function stopAt(buttons, chosen) {
  buttons.forEach((button) => { button.tabIndex = button === chosen ? 0 : -1; });
}

// Call it whenever the buttons have been drawn: the stop is where the focus is, else at the one that is
// pressed, or the first.
export function oneStop(line) {
  const buttons = [...line.querySelectorAll("button")];
  const focused = buttons.find((button) => button === document.activeElement);
  stopAt(buttons, focused ?? buttons.find(({ ariaPressed }) => ariaPressed === "true") ?? buttons[0]);
  for (const button of buttons) button.onfocus = () => stopAt(buttons, button); // also by a click
  line.onkeydown = (event) => {
    const at = buttons.indexOf(event.target);
    const ends = { Home: 0, End: buttons.length - 1 };
    const to = ends[event.key] ?? (event.key in ALONG ? at + ALONG[event.key] : -1);
    if (at < 0 || !buttons[to] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[to].focus();
  };
}
