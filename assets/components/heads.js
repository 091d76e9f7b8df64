// The map of all heads: a square for every head of every layer; a click puts its head into focus.
// On a phone there is a button for each kind of attention, and one strip with the heads of one.

import { HeadCells } from "./heads_cells.js";
import { button, unpack } from "./heads_data.js";
import { paint, pixelsOf } from "./palette.js";
import { fill, make } from "./texts.js";

class Heads {
  constructor(root) {
    this.root = root;
    this.grids = root.querySelector(".model-view");
    this.kinds = root.querySelector(".kinds");
    this.focus = null; // {kind, layer, head}, once the page has set it
    this.cells = new HeadCells(this);
    const follow = ({ detail }) => {
      if (root.isConnected) this.setFocus(detail);
      else document.removeEventListener("heads-focus", follow);
    };
    document.addEventListener("heads-focus", follow);
  }

  at(stack, layer, head) {
    const from = (layer * this.data.heads + head) * stack.size;
    return stack.weights.subarray(from, from + stack.size);
  }

  show(data) {
    this.data = data;
    this.drawModel();
    this.cells.redrawn();
    if (this.focus) this.setFocus(this.focus);
  }

  // Moves the focus, as set elsewhere on the page or by a click here.
  setFocus(focus) {
    this.focus = focus;
    if (!this.data) return;
    for (const part of this.root.querySelectorAll("[data-kind]")) {
      const isHere = part.dataset.kind === focus.kind;
      if (part.localName === "button") part.ariaPressed = String(isHere);
      else part.classList.toggle("here", isHere);
    }
    for (const thumbnail of this.grids.querySelectorAll("button")) {
      const { kind, layer, head } = thumbnail.place;
      const isHere = kind === focus.kind && layer === focus.layer && head === focus.head;
      thumbnail.setAttribute("aria-pressed", String(isHere));
      if (isHere) requestAnimationFrame(() => this.bringIntoView(thumbnail));
    }
    this.cells.stopAt();
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  // Only the strip of a phone moves, never the page.
  bringIntoView(thumbnail) {
    const strip = thumbnail.closest(".grid");
    if (strip.scrollWidth <= strip.clientWidth) return;
    const { left, right } = thumbnail.getBoundingClientRect();
    const box = strip.getBoundingClientRect();
    if (left < box.left || right > box.right) strip.scrollLeft += left - box.left - box.width / 3;
  }

  drawModel() {
    const { stacks, heads, texts } = this.data;
    this.root.style.setProperty("--heads", heads);
    this.root.style.setProperty("--layers", stacks.reduce((sum, { layers }) => sum + layers, 0));
    this.root.style.setProperty("--stacks", stacks.length);
    const shape = JSON.stringify([heads, stacks.map(({ kind, layers }) => [kind, layers]), texts]);
    if (this.shape !== shape) {
      this.shape = shape;
      this.grids.replaceChildren(...stacks.map((stack) => this.emptyGrid(stack, stack === stacks.at(-1))));
      this.kinds.replaceChildren(...stacks.map(({ kind, short }) => {
        const choice = button(short);
        choice.dataset.kind = kind;
        choice.addEventListener("click", () => this.picked({ kind }));
        return choice;
      }));
    }
    stacks.forEach((stack, n) => {
      const colors = pixelsOf(stack.colors);
      this.grids.children[n].style.setProperty("--hue", stack.hue);
      const thumbnails = this.grids.children[n].querySelectorAll("button");
      thumbnails.forEach((thumbnail) => {
        const { layer, head } = thumbnail.place;
        paint(thumbnail.querySelector("canvas"), this.at(stack, layer, head), stack.keys.length, colors);
      });
    });
  }

  emptyGrid({ kind, layers, title, about, short, label }, isLast) {
    const grid = make("div", { className: `grid ${kind}` });
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < this.data.heads; head++) {
        const place = { attention: short, layer: layer + 1, head: head + 1 };
        const thumbnail = button("", fill(this.data.texts.head, place));
        thumbnail.place = { kind, layer, head };
        if (head === 0) thumbnail.dataset.layer = fill(this.data.texts.row, place);
        if (isLast && place.layer === layers) thumbnail.dataset.head = place.head;
        thumbnail.append(make("canvas"));
        thumbnail.addEventListener("click", () => {
          this.setFocus(thumbnail.place);
          this.picked(thumbnail.place);
        });
        grid.append(thumbnail);
      }
    }
    const section = make("section", { ariaLabel: label }, make("h3", {}, title, make("small", {}, about)), grid);
    section.dataset.kind = kind;
    return section;
  }
}

export default function ({ data, isNew, root, report }) {
  if (!root.heads) {
    root.heads = new Heads(root);
    root.heads.focus = document.querySelector(".heads-focus")?.said ?? null;
  }
  root.heads.picked = (place) => report("picked", place);
  if (isNew) root.heads.show(unpack(data.slice()));
}
