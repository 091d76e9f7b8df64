// Draws the pictures of a notebook's output, or of a file. Without scripts, the words in it stay.

(() => {
  __PICTURE__
  const root = document.currentScript?.parentElement
    ?? [...document.querySelectorAll(".transformer-explorer:not([data-drawn])")].at(-1);
  if (!root || root.dataset.drawn) return;
  const { pictures, text, background } = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  root.dataset.drawn = "0";
  root.style.cssText = `color: ${text}; background: ${background}; padding: 8px`;
  if (root.parentElement === document.body) document.body.style.background = background;
  root.querySelectorAll(":scope > p").forEach((line) => { line.hidden = true; });
  for (const { svg, hover, caption, minWidth } of pictures) {
    const figure = document.createElement("figure");
    const scroll = document.createElement("div");
    const words = document.createElement("figcaption");
    figure.style.cssText = "margin: 0 0 1.5rem";
    scroll.style.overflowX = "auto";
    figure.translate = false; // by a browser: it is data
    words.style.cssText = "white-space: pre-line; overflow-wrap: anywhere";
    words.textContent = caption;
    figure.append(scroll, words);
    root.append(figure);
    const picture = new Picture(scroll);
    const width = () => scroll.clientWidth || 800;
    picture.show({ svg, hover, minWidth }, width());
    new ResizeObserver(() => picture.fit(width())).observe(scroll);
  }
  root.append(root.querySelector(":scope > small"));
  root.dataset.drawn = String(pictures.length);
})();
