// The architecture as a map: two lanes of blocks. A click on a block opens its page. All content
// comes in as data and is set as text.

const { pixelsOf } = await import(new URL("palette.js", import.meta.url) + new URL(import.meta.url).search);
const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

function picture({ scale, count, rows, columns, cells }, palettes) {
  const bytes = Uint8Array.from(atob(cells), (character) => character.charCodeAt(0));
  const group = document.createElement("span");
  group.className = `pictures ${scale} ${count > 1 ? "many" : ""}`;
  group.style.setProperty("--across", Math.min(count, count > 8 ? 8 : 4));
  for (let n = 0; n < count; n++) {
    const canvas = document.createElement("canvas");
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const from = n * rows * columns;
    for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = palettes[scale][bytes[from + cell]];
    context.putImageData(image, 0, 0);
    group.append(canvas);
  }
  return group;
}

function block({ name, inside, shape, note, page, kind, slim, pictures, words, does }, open, palettes, tell) {
  const element = document.createElement(page ? "button" : "div");
  element.className = `block ${kind ?? ""} ${slim ? "slim" : ""}`;
  const lines = [["name", page ? `${name} ›` : name], ["inside", inside], ["shape", shape], ["note", note]];
  for (const [className, text] of lines) {
    if (!text) continue;
    const line = document.createElement("span");
    line.className = className;
    line.textContent = text;
    element.append(line);
    if (className === "name" && words) {
      const sentence = document.createElement("span");
      sentence.className = "sentence";
      for (const word of words) {
        const one = document.createElement("bdi");
        one.textContent = word;
        sentence.append(one);
      }
      element.append(sentence);
    }
    if (className === "name" && pictures) element.append(...pictures.map((one) => picture(one, palettes)));
  }
  if (does) {
    element.setAttribute("aria-description", does);
    const told = () => tell(name, does);
    element.addEventListener("pointerenter", told);
    element.addEventListener("focus", told);
  }
  if (page) {
    element.type = "button";
    element.addEventListener("click", () => open(page));
  }
  return element;
}

export default function ({ data: bytes, parentElement, report }) {
  const map = parentElement.querySelector(".map");
  const text = new TextDecoder().decode(bytes);
  if (map.drawn === text) return;
  map.drawn = text;
  const data = JSON.parse(text);
  for (const [kind, hue] of Object.entries(data.hues)) map.style.setProperty(`--${kind}`, hue);

  const focused = [...map.querySelectorAll("button")].indexOf(document.activeElement);
  const open = (page) => report("opened", page);
  const palettes = Object.fromEntries(Object.entries(data.scales).map(([name, stops]) => [name, pixelsOf(stops)]));
  const says = map.querySelector(".says");
  const { tap, point, told } = data.texts;
  const hint = matchMedia("(hover: none)").matches ? tap : point;
  if (map.hint !== hint) says.textContent = map.hint = hint; // at first, and in another language
  const tell = (name, does) => (says.textContent = fill(told, { block: name, does }));
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
        blocks.append(block(part, open, palettes, tell));
        continue;
      }
      const group = document.createElement("div");
      group.className = "layers";
      const times = document.createElement("span");
      times.className = "times";
      times.textContent = part.times;
      group.append(times, ...part.blocks.map((inner) => block(inner, open, palettes, tell)));
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
  map.prepend(says);
  if (focused >= 0) map.querySelectorAll("button")[focused]?.focus();
}
