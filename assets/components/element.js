// Draws the elements of the page, each by a script of its own. With every run, an element is sent with
// a few lines that call this: whatever is in them is compressed and sent again and again.

const address = (script) => new URL(`${script}.js`, import.meta.url).href;
let last = 0; // the number of the last event

// What nearly every page draws is fetched while Streamlit starts.
for (const script of ["head", "line", "answer_pieces", "live_plot", "toolbar", "run_ends"]) {
  import(address(script)).catch(() => {}); // its element asks again, and says if that is in vain
}

// Returns a function that draws an element by the script of this `name`, once that is there. All scripts
// that it imports are `needed`.
export async function drawing(name, needed, isData, together) {
  for (const script of needed) {
    const link = document.createElement("link");
    [link.rel, link.href] = ["modulepreload", address(script)];
    document.head.append(link);
  }
  const script = await import(address(name));
  return (component) => {
    const element = component.parentElement;
    if (isData) { // a browser that translates the page leaves it as it is
      element.translate = false;
      element.classList.add("notranslate");
    }
    element.root ??= element.querySelector(".coming").nextElementSibling;
    const draw = () => drawBy(script, component, element);
    if (together && element.dataset.script) {
      window.dispatchEvent(new CustomEvent("picture", { detail: draw }));
    } else draw();
  };
}

function drawBy(script, component, element) {
  const { data } = component;
  const { root } = element;
  const before = root.sent ?? [];
  const isNew = data.length !== before.length || data.some((byte, n) => byte !== before[n]);
  root.sent = data.slice();
  const report = (event, value) => { // a state with a number: every later request repeats it
    last = Math.max(last + 1, Date.now());
    component.setStateValue(event, { n: last, value });
  };
  const given = { ...component, report, root, isNew };
  Object.defineProperty(given, "sent", { get: () => JSON.parse(new TextDecoder().decode(data)) });
  try {
    script.default(given);
  } finally { // what stands below is not to wait for what cannot be drawn
    element.querySelector(".coming")?.remove();
  }
  element.dataset.script = "ran";
}
