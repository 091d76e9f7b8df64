// A part of the page that is not plotly's, as an SVG: its boxes, words, lines and small pictures, in
// the places that they have on the screen.

import { hatched } from "./hatch.js";

const NAMESPACE = "http://www.w3.org/2000/svg";

const made = (name, attributes, text) => {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};

// Whether a colour is visible. The last number of rgb(…) is blue, not the opacity.
export const seen = (color) => !/^transparent$|^rgba\(.*, 0\)$|\/ 0\)$/.test(color);

// The words of a text with their places: a browser breaks lines, but SVG does not.
function words(node, style, place) {
  const range = document.createRange();
  return [...node.data.matchAll(/\S+/g)].flatMap(({ index, 0: word }) => {
    return lines(range, node, index, word).map(([part, bounds]) => {
      const [x, y] = place(bounds);
      return made("text", {
        x, y: y + 0.78 * bounds.height, fill: style.color, "font-size": style.fontSize,
        "font-weight": style.fontWeight, "font-style": style.fontStyle, "font-family": style.fontFamily,
        opacity: style.opacity, textLength: bounds.width, lengthAdjust: "spacingAndGlyphs",
      }, part);
    });
  });
}

// A word, or its parts if it is broken: Chinese text has no spaces.
function lines(range, node, index, word) {
  const boxOf = (from, to) => {
    range.setStart(node, index + from);
    range.setEnd(node, index + to);
    return range.getBoundingClientRect();
  };
  const whole = boxOf(0, word.length);
  if (!whole.width) return [];
  if (range.getClientRects().length === 1) return [[word, whole]];
  const found = [];
  for (let from = 0, to = 1; to <= word.length; to++) {
    if (to < word.length && boxOf(to, to + 1).top === boxOf(from, from + 1).top) continue;
    found.push([word.slice(from, to), boxOf(from, to)]);
    from = to;
  }
  return found;
}

function box(element, style, place) {
  const bounds = element.getBoundingClientRect();
  const [x, y] = place(bounds);
  const { width, height } = bounds;
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth);
  const border = ring || (style.borderTopStyle !== "none" && parseFloat(style.borderTopWidth));
  const found = [];
  if (seen(style.backgroundColor) || border) {
    found.push(made("rect", {
      x, y, width, height, rx: parseFloat(style.borderTopLeftRadius) || 0,
      fill: seen(style.backgroundColor) ? style.backgroundColor : "none",
      stroke: border ? (ring ? style.outlineColor : style.borderTopColor) : "none", "stroke-width": border || 0,
      "stroke-dasharray": style.borderTopStyle === "dashed" ? "4 3" : "none",
    }));
  }
  const share = parseFloat(style.getPropertyValue("--share"));
  if (element.classList.contains("bar") && share) {
    found.push(made("rect", { x, y, width: width * share, height, rx: 4, fill: style.color, "fill-opacity": 0.22 }));
  }
  if (element.tagName === "CANVAS") {
    const hatch = style.getPropertyValue("--hatch");
    if (hatch) found.push(hatched({ x, y, width, height }, hatch, element.matches(".decoder *")));
    found.push(made("image", { x, y, width, height, href: element.toDataURL(), preserveAspectRatio: "none", style: "image-rendering: pixelated" }));
  }
  return found;
}

// A drawing with its styles in it; elements that are not displayed are left out.
const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-linecap", "stroke-dasharray", "opacity", "font-size",
  "font-weight", "font-family", "paint-order",
];

function copied(element) {
  const copy = element.cloneNode(false);
  const style = getComputedStyle(element);
  if (!element.firstElementChild) for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  copy.removeAttribute("style");
  if (element.tagName === "text") { // another font may be wider
    copy.setAttribute("textLength", element.getComputedTextLength());
    copy.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(child.data);
    else if (getComputedStyle(child).display !== "none") copy.append(copied(child));
  }
  return copy;
}

function drawn(element, place) {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || element.matches(".buttons, .map > .says")) return [];
  if (element.tagName === "svg") {
    const [x, y] = place(element.getBoundingClientRect());
    const group = made("g", { transform: `translate(${x} ${y})` });
    group.append(...copied(element).childNodes);
    return [group];
  }
  return [
    ...box(element, style, place),
    ...[...element.childNodes].flatMap((node) => {
      if (node.nodeType === Node.TEXT_NODE) return words(node, style, place);
      return node.nodeType === Node.ELEMENT_NODE ? drawn(node, place) : [];
    }),
  ];
}

// `caption` are the lines below it. For as long as it is drawn, the page has the theme's colours.
export function domSvg(element, theme, recolour, caption) {
  const before = element.style.cssText;
  const own = getComputedStyle(element);
  for (const name of ["--hue", "--looked", "--encoder", "--decoder", "--cross", "--hatch"]) {
    const color = own.getPropertyValue(name).trim();
    if (color) element.style.setProperty(name, recolour(color));
  }
  element.style.setProperty("--st-text-color", theme.text);
  element.style.setProperty("--st-background-color", theme.background);
  element.style.setProperty("--st-border-color", theme.line);
  element.style.setProperty("--st-secondary-background-color", `color-mix(in srgb, ${theme.text} 7%, ${theme.background})`);
  try {
    const whole = element.getBoundingClientRect();
    const place = ({ left, top }) => [left - whole.left + 8, top - whole.top + 8];
    const [width, height] = [whole.width + 16, whole.height + 20 + 18 * caption.length];
    const svg = made("svg", { xmlns: NAMESPACE, width, height, viewBox: `0 0 ${width} ${height}` });
    svg.append(made("rect", { width, height, fill: theme.background }), ...drawn(element, place));
    caption.forEach((line, n) => svg.append(made("text", {
      x: 8, y: whole.height + 30 + 18 * n, fill: theme.text, "font-size": 13, "font-weight": n ? 400 : 700, "font-family": "sans-serif",
    }, line)));
    return new XMLSerializer().serializeToString(svg);
  } finally {
    element.style.cssText = before;
  }
}
