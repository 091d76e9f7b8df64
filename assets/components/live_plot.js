// A picture that stays on screen while its numbers change.

import { LivePicture } from "./live_picture.js";

const FADED = 40; // pixels at the right of a picture that goes on, as in live_plot.css
const LARGEST = 2; // times
const TALLEST = 1.6; // times
const NOTICED = 0.03; // times: a smaller change is none
const USUAL = { stage: 538, width: 1302 }; // pixels, in a window of 1366 × 768
const READ = 30; // pixels of what is read of a cell, below the picture
const TRIES = 8; // to find sizes that agree with what is around them; some never do
const SETTLED = 1000; // milliseconds without a try
const EASY = 1.2; // times as wide as a picture has to be: letters do not grow at the cost of cells
const COLUMN = '.st-key-area_what [data-testid="stColumn"]'; // where the body is narrow, one below the other

// How many times as large a picture is, letters included, and how many times as tall its cells are
// besides. The pictures of a stage are as high as that, and of one scale; others grow with the window.
function timesAsLarge(figure) {
  const body = figure.closest(".st-key-body");
  const presenting = document.documentElement.classList.contains("presenting");
  if (!body?.isConnected) return [presenting ? 1.5 : 1, 1]; // or its page has been left
  const what = figure.closest(".st-key-area_what");
  const room = what?.getBoundingClientRect();
  // On a projector, a picture has all that is left of the window; its words are below.
  const stage = presenting && what ? innerHeight - (room.top + scrolledBy(what))
    : parseFloat(getComputedStyle(figure).getPropertyValue("--stage"));
  const grown = presenting ? 1.5 : Math.min(stage / USUAL.stage, body.clientWidth / USUAL.width);
  const figures = what ? drawnOn(what) : [figure];
  const parts = figures.map((one) => (one.closest(COLUMN) ?? one).getBoundingClientRect());
  const rows = new Map(); // the highest picture of each, by where it begins: as it is now, and as it was made
  figures.forEach((one, at) => {
    const [now, made] = rows.get(parts[at].top) ?? [0, 0];
    const { clientHeight } = one.querySelector(".plot");
    rows.set(parts[at].top, [Math.max(now, clientHeight), Math.max(made, one.size.height)]);
  });
  const [taken, high] = [0, 1].map((at) => [...rows.values()].reduce((sum, row) => sum + row[at], 0));
  // What is said there has room, too; on a projector, only what stands above a picture.
  const end = presenting ? Math.max(...parts.map(({ bottom }) => bottom)) : room?.bottom;
  const around = what ? Math.max(READ, end - room.top - taken) : READ;
  const easy = presenting ? 1 : EASY;
  const wide = figures.map((one) => one.querySelector(".scroll").clientWidth / (easy * one.size.minWidth));
  const fits = (stage - around) / high;
  const times = Math.max(1, Math.min(what ? LARGEST : grown, fits, ...wide));
  const { height, area, flattest } = figure.size;
  const flat = 1 - ((1 - fits) * height) / area; // where it would be too high
  const tall = fits < 1 ? flat : what ? Math.min(TALLEST, fits / times) : 1;
  const sizes = [times, Math.max(flattest, tall)];
  const { picture } = figure.querySelector(".plot");
  const before = [picture?.times, picture?.tall];
  return sizes.every((size, at) => Math.abs(size - before[at]) < NOTICED) ? before : sizes;
}

const scrolledBy = (element) => element.closest('[data-testid="stMain"]')?.scrollTop ?? 0;

let spreads = false; // whether the others on a stage are drawn, because one has changed
const drawnOn = (stage) => [...stage.querySelectorAll("figure.live-plot")].filter(({ size }) => size);

// Scrolls the framed cells into view if the picture is wider than the screen, so that no cell
// is cut at the left. (A frame around a whole row is not: its name stands at the left. A calculation
// has several frames, and is read from its beginning.)
function showFramed(frame, picture) {
  const spans = picture.frames().map((rect) => {
    const { left } = picture.svg.getBoundingClientRect();
    const box = rect.getBoundingClientRect();
    return [box.left - left, box.right - left];
  });
  const small = spans.filter(([left, right]) => right - left < frame.clientWidth / 2);
  const framed = small.length === 1 && small[0];
  const names = picture.left * picture.times; // they stay in sight, over what is scrolled
  const [from, to] = [frame.scrollLeft + names, frame.scrollLeft + frame.clientWidth];
  if (!framed || (framed[0] >= from && framed[1] <= to)) return;
  // No further than needed, out of the faded edge: a sentence is read from its beginning.
  const least = framed[0] < from ? framed[0] - names : frame.scrollLeft + framed[1] - to + FADED;
  const furthest = frame.scrollWidth - frame.clientWidth;
  const edges = picture.maps.flatMap(({ columns }) => columns);
  const begins = edges.map((edge) => edge - edges[0]).find((edge) => edge >= least - 1) ?? least;
  frame.scrollLeft = Math.min(begins, furthest);
}

// Where a picture goes on, it fades; at the left, names that stay in sight cast a shadow instead.
function markMore(frame, picture) {
  const right = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
  frame.classList.toggle("more-right", right > 2);
  frame.classList.toggle("more-left", frame.scrollLeft > 2 && !picture.namesStay);
}

// When presenter mode begins or ends, every picture is drawn again.
window.addEventListener("presenting", () => {
  for (const figure of document.querySelectorAll("figure.live-plot")) figure.again?.();
});

export default function show(component) {
  const { data, root: figure, report } = component;
  const plot = figure.querySelector(".plot");
  figure.again = () => show(component);
  const text = new TextDecoder().decode(data);
  const drawn = JSON.parse(text);
  figure.size = drawn;
  const sizes = timesAsLarge(figure);
  const [times] = sizes;
  plot.pick = (value) => report("picked", value);
  plot.enlarge = () => report("enlarged", true);
  figure.onkeydown = (event) => {
    if (event.key.toLowerCase() === "e" && !event.ctrlKey && !event.metaKey && !event.altKey) plot.enlarge();
  };
  if (figure.drawn === sizes + text) return;
  const what = figure.closest(".st-key-area_what");
  if (what && !spreads) {
    spreads = true;
    try {
      for (const other of drawnOn(what)) if (other !== figure) other.again();
    } finally {
      spreads = false;
    }
  }
  const { alt, caption, minWidth, height, pickable, texts_of_script: texts } = drawn;
  const shown = figure.querySelector("figcaption");
  shown.textContent = caption;
  shown.hidden = !caption;
  plot.setAttribute("aria-label", alt);
  plot.style.minWidth = `${minWidth * times}px`;
  if (!plot.picture) plot.style.height = `${height * times}px`;
  plot.classList.add("sized");
  plot.classList.toggle("pickable", pickable);
  plot.picture ??= new LivePicture(plot);
  const before = plot.picture.kind;
  plot.picture.redraw(drawn, texts, plot.clientWidth, ...sizes);
  figure.drawn = sizes + text;
  const frame = plot.parentElement;
  const frames = plot.picture.frames().map((rect) => rect.outerHTML).join();
  const others = plot.frames !== frames;
  plot.frames = frames;
  const fit = () => {
    const widths = `${plot.clientWidth} ${frame.clientWidth}`; // the legend fits the frame
    if (plot.clientWidth && widths !== plot.fitted) plot.picture.fit(plot.clientWidth);
    plot.fitted = widths;
    plot.style.height = `${plot.picture.height * plot.picture.times}px`;
    markMore(frame, plot.picture);
  };
  requestAnimationFrame(() => { // measured once, for all pictures
    if (plot.picture.kind !== before) frame.scrollTo(0, 0); // it is read from its beginning
    fit(); // what stands around it may have taken another width in the meantime
    if (others && frame.scrollWidth > frame.clientWidth) showFramed(frame, plot.picture);
  });
  plot.dataset.drawn = String(Number(plot.dataset.drawn ?? 0) + 1);
  if (plot.watched) return;
  plot.watched = true;
  frame.addEventListener("scroll", () => {
    plot.picture.freeze([frame.scrollLeft, frame.scrollTop]);
    markMore(frame, plot.picture);
  });
  const watch = new ResizeObserver(() => {
    if (!plot.isConnected) return; // its page has been left
    const fits = String(timesAsLarge(figure)) === String([plot.picture.times, plot.picture.tall]);
    const now = performance.now();
    if (!fits && now - (plot.tried ?? -SETTLED) >= SETTLED) plot.tries = 0;
    if (!fits) plot.tried = now;
    if (fits || plot.tries++ >= TRIES) fit();
    else figure.again();
  });
  for (const element of [plot, frame]) watch.observe(element);
}
