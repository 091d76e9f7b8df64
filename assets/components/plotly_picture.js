// A picture drawn by plotly.js: curves and bars. Plotly.react always uses the same element; a chart
// that is mounted again would go blank at every change.

const PLOTLY = "__plotly__";
const CONFIG = {
  displaylogo: false,
  responsive: false,
  doubleClick: "reset",
  modeBarButtons: [["toImage", "zoom2d", "resetScale2d"]],
};

// plotly.js, fetched when it is first needed; `missing` says that it cannot be.
export function loadPlotly(url, missing) {
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

export class PlotlyPicture {
  constructor(plot) {
    this.plot = plot;
    this.gone = new AbortController();
  }

  // Draws, unless something newer is to be drawn once plotly.js is there; returns whether it did.
  async show({ spec, texts, fileName, isNewest }) {
    const { plot } = this;
    this.Plotly = await loadPlotly(plot.closest("figure").dataset.plotly, texts.missing);
    if (!isNewest()) return false;
    const touch = window.matchMedia("(pointer: coarse)").matches;
    const layout = { ...spec.layout, width: plot.clientWidth };
    layout.dragmode = touch ? false : layout.dragmode ?? "zoom";
    const config = { ...CONFIG, toImageButtonOptions: { filename: fileName, scale: 2 } };
    if (texts.menu) {
      config.locale = texts.language;
      config.locales = { [texts.language]: { dictionary: texts.menu } };
    }
    await this.Plotly.react(plot, spec.data, layout, config);
    if (this.watched) return true;
    this.watched = true;
    // A click on a plotly picture leaves a text field focused. The typed text has to be sent before
    // the click.
    const until = { capture: true, signal: this.gone.signal };
    plot.addEventListener("pointerdown", () => document.activeElement?.blur(), until);
    plot.on("plotly_click", ({ points: [point] }) => {
      if (!plot.classList.contains("pickable")) return;
      plot.pick({ x: point.x, y: point.y, name: point.data.name ?? null });
    });
    return true;
  }

  resize(width) {
    if (this.watched && width !== this.plot.layout.width) this.Plotly.relayout(this.plot, { width });
  }

  remove() {
    this.gone.abort();
    this.Plotly?.purge(this.plot);
    this.plot.classList.remove("js-plotly-plot");
    this.plot.replaceChildren();
  }
}
