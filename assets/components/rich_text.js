// The texts of pictures on a canvas and in labels: plotly's marks (<b>, <i>, <br>, a coloured
// <span>), everything else as it stands.

const MARK = /<(\/?)(b|i|br|span)(?: style="color:(#\w{6})")?>/g;
const SIGNS = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const plain = (text) => text.replace(/&(?:lt|gt|amp);/g, (sign) => SIGNS[sign]);
const LINE = 1.3; // from line to line, in heights of a letter
const MIDDLE = 0.35; // the middle of a letter above its baseline

// Lines of runs: {text, bold, italic, color}.
export function linesOf(marked) {
  const text = String(marked);
  if (!/[<&]/.test(text)) return [[{ text }]];
  const lines = [[]];
  const open = []; // the marks around what is read
  let read = 0;
  const run = (upTo) => {
    if (upTo === read) return;
    const around = Object.assign({}, ...open.map((mark) => mark.look));
    lines.at(-1).push({ text: plain(text.slice(read, upTo)), ...around });
  };
  for (const { 0: whole, 1: closing, 2: name, 3: color, index } of text.matchAll(MARK)) {
    run(index);
    read = index + whole.length;
    if (name === "br") lines.push([]);
    else if (closing) open.splice(open.findLastIndex((mark) => mark.name === name), 1);
    else open.push({ name, look: name === "b" ? { bold: true } : name === "i" ? { italic: true } : color ? { color } : {} });
  }
  run(text.length);
  return lines;
}

const font = ({ bold, italic }, { size, family }) =>
  `${italic ? "italic " : ""}${bold ? "bold " : ""}${size}px ${family}`;

function runWidth(context, run, look) {
  context.font = font(run, look);
  return context.measureText(run.text).width;
}

const lineWidth = (context, line, look) =>
  line.reduce((sum, run) => sum + runWidth(context, run, look), 0);

export const widthOf = (context, text, look) =>
  Math.max(...linesOf(text).map((line) => lineWidth(context, line, look)));

export const heightOf = (text, { size }) => linesOf(text).length * LINE * size;

// Writes at a place: `across` is where it lies in the text's width (0 left, 0.5 middle, 1 right).
// The middle of its height is at `y`.
export function write(context, text, x, y, look, across = 0.5) {
  const lines = linesOf(text);
  lines.forEach((line, at) => {
    const down = y + ((at - (lines.length - 1) / 2) * LINE + MIDDLE) * look.size;
    let left = x - (across ? across * lineWidth(context, line, look) : 0);
    for (const run of line) {
      const width = line.length > 1 ? runWidth(context, run, look) : 0;
      context.font = font(run, look);
      context.fillStyle = run.color ?? look.color;
      context.fillText(run.text, left, down);
      left += width;
    }
  });
}

// The same text as elements of the page.
export function elementsOf(text) {
  return linesOf(text).map((line) => {
    const shown = document.createElement("div");
    shown.append(...line.map(({ text: said, bold, italic, color }) => {
      const part = document.createElement("span");
      part.textContent = said;
      if (bold) part.style.fontWeight = "bold";
      if (italic) part.style.fontStyle = "italic";
      if (color) part.style.color = color;
      return part;
    }));
    return shown;
  });
}
