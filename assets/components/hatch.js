// Lines over what is hidden, as a pattern of an SVG; the future and PAD have a slant each.

const NAMESPACE = "http://www.w3.org/2000/svg";

// A rectangle filled with them, and what it refers to.
export function hatched({ x, y, width, height }, color, future) {
  const id = `hatch-${future ? "future" : "pad"}-${color.slice(1)}`;
  const made = (name, attributes, ...inside) => {
    const element = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...inside);
    return element;
  };
  const lines = made("path", { d: future ? "M-1 1L1 -1M0 4L4 0M3 5L5 3" : "M-1 3L1 5M0 0L4 4M3 -1L5 1", stroke: color });
  return made("g", {},
    made("pattern", { id, width: 4, height: 4, patternUnits: "userSpaceOnUse" }, lines),
    made("rect", { x, y, width, height, fill: `url(#${id})` }));
}
