// The architecture as a map: two lanes of blocks. A click on a block opens its page. All content
// comes in as data and is set as text.

function block({ name, inside, shape, note, page, kind, slim }, open) {
  const element = document.createElement(page ? "button" : "div");
  element.className = `block ${kind ?? ""} ${slim ? "slim" : ""}`;
  const lines = [["name", page ? `${name} ›` : name], ["inside", inside], ["shape", shape], ["note", note]];
  for (const [className, text] of lines) {
    if (!text) continue;
    const line = document.createElement("span");
    line.className = className;
    line.textContent = text;
    element.append(line);
  }
  if (page) {
    element.type = "button";
    element.addEventListener("click", () => open(page));
  }
  return element;
}

export default function ({ data: bytes, parentElement, setTriggerValue }) {
  const map = parentElement.querySelector(".map");
  const text = new TextDecoder().decode(bytes);
  if (map.drawn === text) return;
  map.drawn = text;
  const data = JSON.parse(text);
  for (const [kind, hue] of Object.entries(data.hues)) map.style.setProperty(`--${kind}`, hue);

  const focused = [...map.querySelectorAll("button")].indexOf(document.activeElement);
  const open = (page) => setTriggerValue("opened", page);
  map.replaceChildren();
  for (const lane of data.lanes) {
    const row = document.createElement("section");
    row.className = `lane ${lane.kind}`;
    row.setAttribute("aria-label", lane.title);
    const title = document.createElement("h2");
    title.textContent = lane.title;
    row.append(title);
    const blocks = document.createElement("div");
    blocks.className = "blocks";
    for (const part of lane.parts) {
      if (!part.blocks) {
        blocks.append(block(part, open));
        continue;
      }
      const group = document.createElement("div");
      group.className = "layers";
      const times = document.createElement("span");
      times.className = "times";
      times.textContent = part.times;
      group.append(times, ...part.blocks.map((inner) => block(inner, open)));
      blocks.append(group);
    }
    row.append(blocks);
    map.append(row);
    if (lane.bridge) {
      const bridge = document.createElement("p");
      bridge.className = "bridge";
      bridge.textContent = lane.bridge;
      map.append(bridge);
    }
  }
  if (focused >= 0) map.querySelectorAll("button")[focused]?.focus();
}
