// The thumbnails and lines of the heads view, as it is on screen, as an SVG picture.

import { hatched } from "./hatch.js";
import { palette } from "./palette.js";
import { fill } from "./texts.js";

const SVG = "http://www.w3.org/2000/svg";
const GAP = 8;
const NUMBER = 16; // room for the number of a head or a layer
const FONT = "'Source Sans', 'Noto Sans', 'DejaVu Sans', sans-serif";

function element(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function thumbnail(weights, queries, keys, colors) {
  const canvas = document.createElement("canvas");
  canvas.width = keys;
  canvas.height = queries;
  const context = canvas.getContext("2d");
  const image = context.createImageData(keys, queries);
  weights.forEach((weight, cell) => image.data.set(colors[weight], 4 * cell));
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

function number(value, x, y) {
  return element("text", { x, y, "font-size": 12, "text-anchor": "middle" }, value);
}

function grids(heads, theme, recolour, width) {
  const { stacks, heads: across } = heads.data;
  const group = element("g", { fill: theme.text });
  const room = (width - 24 * (stacks.length - 1)) / stacks.length;
  const side = Math.min(90, (room - NUMBER) / across - 3);
  let lowest = 0;
  stacks.forEach((stack, n) => {
    const left = n * (room + 24);
    const colors = palette(theme.weights[stack.kind]);
    const hue = recolour(stack.hue);
    group.append(element("text", { x: left, y: 16, fill: hue, "font-weight": 600 }, stack.name));
    for (let layer = 0; layer < stack.layers; layer++) {
      for (let head = 0; head < across; head++) {
        const [x, y] = [left + NUMBER + head * (side + 3), 26 + NUMBER + layer * (side + 3)];
        if (layer === 0) group.append(number(head + 1, x + side / 2, y - 5));
        if (head === 0) group.append(number(layer + 1, x - NUMBER / 2, y + side / 2 + 4));
        const href = thumbnail(heads.at(stack, layer, head), stack.queries.length, stack.keys.length, colors);
        const size = { x, y, width: side, height: side };
        group.append(hatched(size, theme.hatch, stack.kind === "decoder"));
        group.append(element("image", { ...size, href, preserveAspectRatio: "none", style: "image-rendering: pixelated" }));
        const { focus } = heads;
        const here = focus.kind === stack.kind && focus.layer === layer;
        const chosen = here && focus.head === head;
        group.append(element("rect", {
          ...size, fill: "none", stroke: here ? hue : theme.line, "stroke-width": chosen ? 3 : here ? 1.5 : 0.5,
        }));
        lowest = Math.max(lowest, y + side);
      }
    }
  });
  return [group, lowest + 2 * GAP];
}

function lines(heads, theme, recolour, width, top) {
  const { stack, focus, row } = heads;
  const { queries, keys } = stack;
  const group = element("g", {});
  const title = fill(heads.data.texts.picture, {
    attention: stack.name,
    layer: focus.layer + 1,
    heads: [...heads.on].toSorted((a, b) => a - b).map((head) => head + 1).join(", "),
  });
  group.append(element("text", { x: 0, y: top + 16, fill: recolour(stack.hue), "font-weight": 600 }, title));
  const size = Math.min(14, row * 0.64);
  const [from, to] = [200, Math.min(width - 160, 744)];
  const middle = (at) => top + 32 + (at + 0.5) * row;
  const only = heads.pinned;
  [...heads.on].forEach((head) => {
    const weights = heads.at(stack, focus.layer, head);
    const drawn = element("g", { stroke: recolour(stack.hue), "stroke-width": 2 });
    weights.forEach((weight, cell) => {
      const [query, key] = [Math.floor(cell / keys.length), cell % keys.length];
      if (weight < 2 || (only?.side === 0 && only.at !== query) || (only?.side === 1 && only.at !== key)) return;
      drawn.append(element("line", {
        x1: from, y1: middle(query), x2: to, y2: middle(key), "stroke-opacity": (weight / 256).toFixed(3),
      }));
    });
    group.append(drawn);
  });
  [[queries, from - 6, "end"], [keys, to + 6, "start"]].forEach(([words, x, anchor]) => {
    words.forEach((word, at) => group.append(element("text", {
      x, y: middle(at) + size * 0.35, "font-size": size, "text-anchor": anchor, fill: theme.text,
    }, word)));
  });
  return [group, top + 32 + Math.max(queries.length, keys.length) * row + GAP];
}

// `caption` are lines of text for below the picture.
export function headsSvg(heads, theme, recolour, width, caption) {
  const [small, below] = grids(heads, theme, recolour, width);
  const [large, end] = lines(heads, theme, recolour, width, below);
  const height = end + 18 * caption.length + 2 * GAP;
  const svg = element("svg", {
    width: width + 2 * GAP, height, viewBox: `${-GAP} ${-GAP} ${width + 2 * GAP} ${height}`,
    "font-family": FONT, "font-size": 14,
  });
  svg.append(element("rect", { x: -GAP, y: -GAP, width: "100%", height: "100%", fill: theme.background }));
  svg.append(small, large);
  caption.forEach((line, n) => svg.append(element("text", {
    x: 0, y: end + 18 * (n + 1), fill: theme.text, "font-size": 13, "font-weight": n ? 400 : 600,
  }, line)));
  return new XMLSerializer().serializeToString(svg);
}
