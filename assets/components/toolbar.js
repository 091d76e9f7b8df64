// Links to what a drawer shows. A press opens it, or closes it again; so does Escape.

import { oneStop } from "./one_stop.js";
let toolbar = null; // the one on show

const pressed = () => toolbar?.isConnected && toolbar.querySelector('[aria-expanded="true"]');

function choose(button) {
  toolbar.moved = true; // the focus follows
  toolbar.report("chosen", button.ariaExpanded === "true" ? "none" : button.dataset.drawer);
}

document.addEventListener("keydown", (event) => {
  const open = pressed();
  if (event.key !== "Escape" || event.defaultPrevented || !open) return;
  const { classList } = document.documentElement;
  if (classList.contains("presenting") || document.querySelector('[data-testid="stPopoverBody"], [role="dialog"], :popover-open')) return;
  choose(open);
});

export default function ({ sent: { links, open, large, name, apart }, root, report }) {
  toolbar = root;
  toolbar.report = report;
  toolbar.ariaLabel = name;
  document.documentElement.classList.toggle("large-drawer", large);
  const shown = [...toolbar.children];
  for (const button of shown.splice(Object.keys(links).length)) button.remove();
  const before = pressed();
  Object.entries(links).forEach(([drawer, label], at) => {
    const button = shown[at] ?? toolbar.appendChild(document.createElement("button"));
    button.type = "button";
    button.dataset.drawer = drawer;
    button.ariaExpanded = String(drawer === open);
    button.classList.toggle("apart", at === apart);
    button.onclick = () => choose(button);
    if (button.textContent !== label) button.textContent = label;
  });
  oneStop(toolbar);
  if (!toolbar.moved || pressed() === before) return;
  toolbar.moved = false;
  const drawer = document.querySelector(".st-key-drawer");
  if (open && drawer) {
    drawer.tabIndex = -1;
    drawer.focus({ preventScroll: true });
    const { top } = drawer.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) drawer.scrollIntoView({ block: "nearest" });
  } else before?.focus({ preventScroll: true });
}
