// Draws the pictures of a notebook's output. Without scripts, the words in it stay.

(() => {
  __HEADS__
  const root = document.currentScript?.parentElement
    ?? [...document.querySelectorAll(".transformer-explorer:not([data-drawn])")].at(-1);
  if (!root || root.dataset.drawn) return;
  const { pictures, text, background, texts } = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  root.dataset.drawn = "0";
  root.style.cssText = `color: ${text}; background: ${background}; padding: 8px`;
  root.querySelectorAll(":scope > p").forEach((line) => { line.hidden = true; });
  const plotly = async () => {
    for (let tries = 0; !window.Plotly && tries < 100; tries++) {
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
    return window.Plotly;
  };
  const draw = async ({ spec, heads, alt, caption, minWidth }) => {
    const figure = document.createElement("figure");
    const scroll = document.createElement("div");
    const words = document.createElement("figcaption");
    figure.style.cssText = "margin: 0 0 1rem";
    scroll.style.overflowX = "auto";
    words.style.cssText = "white-space: pre-line; overflow-wrap: anywhere";
    words.textContent = caption;
    figure.append(scroll, words);
    root.append(figure);
    if (heads) {
      showHeads(scroll, heads);
      return;
    }
    const Plotly = await plotly();
    if (!Plotly) {
      words.textContent = `${caption}\n(${texts.missing})`;
      return;
    }
    const plot = document.createElement("div");
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", alt);
    scroll.append(plot);
    const width = () => Math.max(scroll.clientWidth || 800, minWidth);
    await Plotly.newPlot(plot, spec.data, { ...spec.layout, width: width() }, { displaylogo: false });
    new ResizeObserver(() => {
      if (scroll.clientWidth && plot.layout.width !== width()) Plotly.relayout(plot, { width: width() });
    }).observe(scroll);
  };
  Promise.all(pictures.map(draw)).then(() => { root.dataset.drawn = String(pictures.length); });
})();
