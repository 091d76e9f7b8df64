// A picture that stays on screen while its numbers change: heatmaps on a canvas, all others by
// plotly.js.

// The scripts are fetched by their version.
const version = new URL(import.meta.url).search;
const ours = (name) => import(new URL(name, import.meta.url) + version);
const { HeatmapPicture } = await ours("heatmap_picture.js");
const { drawsHeatmaps } = await ours("heatmaps.js");
const { PlotlyPicture } = await ours("plotly_picture.js");
const { pictureTexts } = await ours("page_texts.js");
const { fill } = await ours("texts.js");

// What a figure measures in pixels, so many times as large; its width follows from the screen's.
const PIXELS = /^(size|height|thickness|standoff|[xy]shift|[xy]gap|[lrtb])$/;

function enlarged(part, times, inLine = false) {
  if (Array.isArray(part)) {
    return typeof part[0] === "object" ? part.map((one) => enlarged(one, times)) : part;
  }
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => {
    const measured = PIXELS.test(name) || (inLine && name === "width");
    if (measured && typeof value === "number") return [name, value * times];
    if (name === "size" && Array.isArray(value)) return [name, value.map((size) => size * times)];
    return [name, enlarged(value, times, name === "line")];
  }));
}

const timesAsLarge = () => (document.documentElement.classList.contains("presenting") ? 1.5 : 1);

// A picture wider than the screen fades out on each side where it continues.
function fadeEdges(frame) {
  const hidden = frame.scrollWidth - frame.clientWidth;
  frame.classList.toggle("more-left", frame.scrollLeft > 1);
  frame.classList.toggle("more-right", frame.scrollLeft < hidden - 1);
}

// What is framed in a heatmap is in view, as far as the picture is wider than the screen. (A frame
// around a whole row is not: its name stands at the left.)
function showFramed(frame, { axes, layout }) {
  const spans = (layout.shapes ?? []).map(({ x0, x1 }) => [axes.x.pixel(x0), axes.x.pixel(x1)]);
  const framed = spans.filter(([left, right]) => right - left < frame.clientWidth / 2).at(-1);
  const [from, to] = [frame.scrollLeft, frame.scrollLeft + frame.clientWidth];
  if (!framed || (framed[0] >= from && framed[1] <= to)) return;
  frame.scrollLeft += (framed[0] + framed[1] - from - to) / 2;
}

// The plot's picture, of the kind that this one needs.
function pictureOf(plot, spec) {
  const Kind = drawsHeatmaps(spec) ? HeatmapPicture : PlotlyPicture;
  if (!(plot.picture instanceof Kind)) {
    plot.picture?.remove();
    plot.picture = new Kind(plot);
  }
  return plot.picture;
}

// When presenter mode begins or ends, every picture is drawn again.
window.addEventListener("presenting", () => {
  for (const figure of document.querySelectorAll("figure.live-plot")) figure.again?.();
});

export default function show(component) {
  const { data, parentElement, setTriggerValue } = component;
  const figure = parentElement.querySelector("figure");
  const plot = parentElement.querySelector(".plot");
  figure.again = () => show(component);
  const times = timesAsLarge();
  const text = new TextDecoder().decode(data);
  plot.pick = (value) => setTriggerValue("picked", value);
  if (figure.drawn === times + text) return;
  figure.drawn = times + text;
  figure.sent = text;

  const { spec: usual, alt, caption, minWidth, fileName, pickable } = JSON.parse(text);
  const spec = times === 1 ? usual : enlarged(usual, times);
  const shown = parentElement.querySelector("figcaption");
  shown.textContent = caption;
  shown.hidden = !caption;
  plot.setAttribute("aria-label", alt);
  plot.style.minWidth = `${minWidth * times}px`;
  plot.style.height = `${spec.layout.height}px`;
  plot.classList.add("sized");
  plot.classList.toggle("pickable", pickable);
  plot.setAttribute("aria-busy", "true");

  const draw = async () => {
    const texts = await pictureTexts();
    const isNewest = () => figure.drawn === times + text && plot.isConnected;
    if (!isNewest() || !await pictureOf(plot, spec).show({ spec, texts, fileName, isNewest })) {
      if (figure.drawn === times + text) figure.drawn = null; // it was not on the page
      return;
    }
    const frame = plot.parentElement;
    const frames = JSON.stringify(spec.layout.shapes);
    const others = plot.frames !== frames;
    plot.frames = frames;
    requestAnimationFrame(() => { // measured once, for all pictures
      if (others && plot.heatmaps && frame.scrollWidth > frame.clientWidth) showFramed(frame, plot.heatmaps);
      fadeEdges(frame);
    });
    plot.dataset.drawn = String(Number(plot.dataset.drawn ?? 0) + 1);
    plot.removeAttribute("aria-busy");
    if (plot.watched) return;
    plot.watched = true;
    frame.addEventListener("scroll", () => fadeEdges(frame));
    new ResizeObserver(() => {
      if (plot.clientWidth) plot.picture.resize(plot.clientWidth);
      fadeEdges(frame);
    }).observe(plot);
  };
  draw().catch(async (error) => {
    figure.drawn = null; // so that the next one is drawn even if it is the same
    plot.removeAttribute("aria-busy");
    shown.hidden = false;
    shown.textContent = fill((await pictureTexts()).failed, { error: error.message });
  });
}
