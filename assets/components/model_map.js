// The architecture as a map: two lanes of blocks. A click on a block opens its page. All content
// comes in as data and is set as text.

import { paint, pixelsOf } from "./palette.js";
import { fill, make } from "./texts.js";

function picture({ scale, count, rows, columns, cells }, palettes) {
  const bytes = Uint8Array.from(atob(cells), (character) => character.charCodeAt(0));
  const group = make("span", { className: `pictures ${scale} ${count > 1 ? "many" : ""}` });
  group.style.setProperty("--across", Math.min(count, count > 8 ? 8 : 4));
  for (let n = 0; n < count; n++) {
    const canvas = group.appendChild(make("canvas"));
    paint(canvas, bytes.subarray(n * rows * columns, (n + 1) * rows * columns), columns, palettes[scale]);
  }
  return group;
}

function block({ name, inside, shape, note, page, kind, slim, pictures = [], words, does }, open, palettes, tell) {
  const line = (className, text) => (text ? [make("span", { className }, text)] : []);
  const parts = [
    ...line("name", `${name} ›`),
    ...(words ? [make("span", { className: "sentence" }, ...words.map((word) => make("bdi", {}, word)))] : []),
    ...pictures.map((one) => picture(one, palettes)),
    ...line("inside", inside), ...line("shape", shape), ...line("note", note),
  ];
  const element = make("button", { type: "button", className: `block ${kind ?? ""} ${slim ? "slim" : ""}` }, ...parts);
  element.setAttribute("aria-description", does);
  element.onpointerenter = element.onfocus = () => tell(name, does);
  element.onclick = () => open(page);
  return element;
}

export default function ({ sent: data, isNew, root: map, report }) {
  if (!isNew) return;
  for (const [kind, hue] of Object.entries(data.hues)) map.style.setProperty(`--${kind}`, hue);
  const focused = [...map.querySelectorAll("button")].indexOf(document.activeElement);
  const open = (page) => report("opened", page);
  const palettes = Object.fromEntries(Object.entries(data.scales).map(([name, stops]) => [name, pixelsOf(stops)]));
  const says = map.querySelector(".says");
  const { point, told } = data.texts;
  if (map.hint !== point) says.textContent = map.hint = point; // at first, and in another language
  const tell = (name, does) => (says.textContent = fill(told, { block: name, does }));
  const drawn = (part) => (part.blocks
    ? make("div", { className: "layers" }, make("span", { className: "times" }, part.times), ...part.blocks.map(drawn))
    : block(part, open, palettes, tell));
  map.replaceChildren(says, ...data.lanes.flatMap(({ kind, title, parts, bridge }) => {
    const blocks = make("div", { className: "blocks" }, ...parts.map(drawn));
    const lane = make("section", { className: `lane ${kind}`, ariaLabel: title }, make("h2", {}, title), blocks);
    return bridge ? [lane, make("p", { className: "bridge" }, bridge)] : [lane];
  }));
  if (focused >= 0) map.querySelectorAll("button")[focused]?.focus();
}
