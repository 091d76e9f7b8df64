// Draws a plotly figure and keeps it on screen while its numbers change: Plotly.react always uses
// the same element. A chart that is mounted again would go blank at every key press.

// The scripts are fetched by their version.
const { walkCells } = await import(new URL("cells.js", import.meta.url) + new URL(import.meta.url).search);
const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);
const { pictureTexts } = await import(new URL("page_texts.js", import.meta.url) + new URL(import.meta.url).search);

const PLOTLY = "__plotly__";
const CONFIG = {
  displaylogo: false,
  responsive: false,
  doubleClick: "reset",
  modeBarButtons: [["toImage", "zoom2d", "resetScale2d"]],
};

function loadPlotly(url, missing) {
  window[PLOTLY] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(url, document.baseURI).href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      delete window[PLOTLY];
      reject(new Error(missing));
    };
    document.head.append(script);
  });
  return window[PLOTLY];
}

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

// What is framed is in view, as far as the picture is wider than the screen.
function showFramed(frame) {
  const view = frame.getBoundingClientRect();
  const boxes = [...frame.querySelectorAll(".shapelayer path")].map((path) => path.getBoundingClientRect());
  const framed = boxes.filter((box) => box.width < view.width).at(-1);
  if (!framed || (framed.left >= view.left && framed.right <= view.right)) return;
  frame.scrollLeft += (framed.left + framed.right - view.left - view.right) / 2;
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
    plot.texts = { ...texts, cells: pickable ? texts.pickable : texts.cells };
    const Plotly = await loadPlotly(figure.dataset.plotly, texts.missing);
    if (figure.drawn !== times + text) return; // a newer one is being drawn
    if (!plot.isConnected) {
      figure.drawn = null;
      return;
    }
    const touch = window.matchMedia("(pointer: coarse)").matches;
    const layout = { ...spec.layout, width: plot.clientWidth };
    layout.dragmode = touch ? false : layout.dragmode ?? "zoom";
    const config = { ...CONFIG, toImageButtonOptions: { filename: fileName, scale: 2 } };
    if (texts.menu) {
      config.locale = texts.language;
      config.locales = { [texts.language]: { dictionary: texts.menu } };
    }
    await Plotly.react(plot, spec.data, layout, config);
    const frames = JSON.stringify(spec.layout.shapes);
    const others = plot.frames !== frames;
    plot.frames = frames;
    requestAnimationFrame(() => { // measured once, for all pictures
      const frame = plot.parentElement;
      if (others && frame.scrollWidth > frame.clientWidth) showFramed(frame);
      fadeEdges(frame);
    });
    plot.dataset.drawn = String(Number(plot.dataset.drawn ?? 0) + 1);
    if (figure.drawn === times + text) plot.removeAttribute("aria-busy");
    if (plot.watched) return;
    plot.watched = true;
    // A click on a plotly picture leaves a text field focused. The typed text has to be sent before
    // the click.
    plot.addEventListener("pointerdown", () => document.activeElement?.blur(), { capture: true });
    walkCells(plot, Plotly);
    plot.on("plotly_click", ({ points: [point] }) => {
      if (!plot.classList.contains("pickable")) return;
      plot.pick({ x: point.x, y: point.y, name: point.data.name ?? null });
    });
    plot.parentElement.addEventListener("scroll", () => fadeEdges(plot.parentElement));
    new ResizeObserver(() => {
      fadeEdges(plot.parentElement);
      if (plot.clientWidth && plot.clientWidth !== plot.layout.width) {
        Plotly.relayout(plot, { width: plot.clientWidth })
          .then(() => fadeEdges(plot.parentElement));
      }
    }).observe(plot);
  };
  draw().catch(async (error) => {
    figure.drawn = null; // so that the next one is drawn even if it is the same
    plot.removeAttribute("aria-busy");
    shown.hidden = false;
    shown.textContent = fill((await pictureTexts()).failed, { error: error.message });
  });
}
