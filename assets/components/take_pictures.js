// Pictures of the page to take away: PNG, SVG and self-contained HTML, one by one or all as a zip.
// Python draws them anew when somebody asks; what scripts have drawn is taken from the page.

import { domSvg } from "./dom_picture.js";
import { headsSvg } from "./heads_picture.js";
import { svgPng } from "./svg_png.js";
import { fill } from "./texts.js";
import { zip } from "./zip.js";

const LETTERS = 0.57; // the mean width of a letter, in heights
const PATIENCE = 20000; // milliseconds to wait for Python's answer

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Letters of Chinese, Japanese and Korean are nearly twice as wide.
const WIDE = /[\u1100-\u11FF\u2E80-\uA4CF\uAC00-\uD7AF\uF900-\uFAFF\uFF01-\uFF60]/g;
const letters = (text) => text.length + 0.75 * (text.match(WIDE)?.length ?? 0);
// Parts that are never broken: a word, or a Chinese character with the punctuation marks behind it.
const UNBROKEN = / +|[\u2E80-\u9FFF][\u3000-\u303F\uFF01-\uFF60”]*|[^ \u2E80-\u9FFF]+/g;

export function wrapped(text, width, size) {
  const most = Math.max(20, Math.floor(width / (size * LETTERS)));
  return text.split("\n").flatMap((line) => {
    const lines = [""];
    for (const part of line.match(UNBROKEN) ?? []) {
      const last = lines.at(-1);
      if (last.trim() && part.trim() && letters(last) + letters(part) > most) lines.push(part);
      else lines[lines.length - 1] = last + part;
    }
    return lines.map((broken) => broken.trimEnd());
  });
}

// The first sentences of a description, as many as fit into a caption.
export function beginning(text, most = 220) {
  if (text.length <= most) return text;
  const end = Math.max(text.lastIndexOf(". ", most), text.lastIndexOf("。", most));
  return end > 40 ? text.slice(0, end + 1) : `${text.slice(0, most)}…`;
}

// A drawing with lines of text below it; the first one is bold.
function captioned(svg, lines) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const above = Number(root.getAttribute("height"));
  root.setAttribute("height", above + 18 * lines.length + 14);
  lines.forEach((line, at) => {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    for (const [name, value] of Object.entries({ x: 8, y: above + 18 * at + 20, "font-size": 13 })) text.setAttribute(name, value);
    if (at === 0) text.setAttribute("font-weight", "bold");
    text.textContent = line;
    root.append(text);
  });
  return new XMLSerializer().serializeToString(root);
}

class Taker {
  constructor(root) {
    this.root = root;
    this.list = root.querySelector("ul");
    this.says = root.querySelector(".says");
    this.colours = root.querySelector("select");
    this.drawn = null; // the list on show
    root.querySelector(".all").addEventListener("click", () => this.do(() => this.all()));
    for (const event of ["pointerenter", "focusin"]) root.addEventListener(event, () => this.draw());
  }

  // The pictures on the screen, in their order. (A part of the page may have been redrawn alone.)
  found() {
    const seen = new Map();
    return [...document.querySelectorAll("figure.live-plot, .heads, .writing, .map")].filter((element) => (
      element.offsetParent && (element.sent || element.heads?.focus || element.matches(".writing, .map"))
    )).map((element) => {
      const drawn = element.sent ? JSON.parse(element.sent) : this.own(element);
      const count = (seen.get(drawn.fileName) ?? 0) + 1;
      seen.set(drawn.fileName, count);
      const name = count > 1 ? `${drawn.fileName}-${count}` : drawn.fileName;
      const title = count > 1 ? `${drawn.title} ${count}` : drawn.title;
      return { ...drawn, name, title, element, plot: element.querySelector(".plot"), heads: element.heads };
    });
  }

  // A picture that is drawn by a script of its own.
  own(element) {
    const { texts } = this.data;
    if (element.heads) return { key: "heads_view", fileName: "all-heads", title: texts.heads, caption: "", alt: "" };
    const [fileName, title] = element.matches(".map") ? ["model-map", texts.map] : ["translation", texts.writing];
    return { fileName, title, caption: "", alt: "", dom: true };
  }

  draw() {
    const { texts, themes } = this.data;
    const found = this.found();
    const drawn = JSON.stringify([found.map(({ name, title }) => [name, title]), texts]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.root.querySelector("label span").textContent = texts.colours;
    for (const option of this.colours.options) option.textContent = themes[option.value].name;
    const all = this.root.querySelector(".all");
    all.textContent = texts.all;
    all.hidden = !found.length;
    this.says.textContent = found.length ? "" : texts.nothing;
    this.list.replaceChildren(...found.map(({ name, title }) => {
      const line = document.createElement("li");
      const shown = document.createElement("span");
      shown.textContent = title;
      line.append(shown, ...["png", "svg", "html"].map((kind) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = kind.toUpperCase();
        button.setAttribute("aria-label", fill(texts.as, { picture: title, kind: kind.toUpperCase() }));
        button.addEventListener("click", () => this.do(() => this.one(name, kind)));
        return button;
      }));
      return line;
    }));
  }

  async do(action) {
    this.root.setAttribute("aria-busy", "true");
    this.says.textContent = this.data.texts.making;
    try {
      this.says.textContent = (await action()) ?? "";
    } catch (error) {
      this.says.textContent = fill(this.data.texts.failed, { error: error.message });
    } finally {
      this.root.removeAttribute("aria-busy");
    }
  }

  get theme() {
    return this.data.themes[this.colours.value];
  }

  get recolour() {
    const { colours } = this.theme;
    return (color) => colours[color] ?? color;
  }

  // The content of the picture: its name, the choices of the page, the sentence and the weights.
  caption({ title, caption, alt }) {
    const { page, about, choices } = this.data;
    const now = new URLSearchParams(location.search);
    const said = caption || beginning(alt);
    const chosen = choices.map(([key, words, before]) => {
      const value = now.get(key) ?? before;
      return typeof words === "string" ? fill(words, { value }) : words[value] ?? value;
    }).filter((words) => !said.includes(words));
    return [`${page}: ${title}`, said, chosen.join(", "), ...about].filter(Boolean).join("\n");
  }

  async image(picture, kind) {
    const text = picture.heads ? this.headsSvg(picture) : picture.dom ? this.domSvg(picture) : this.plotSvg(picture);
    return kind === "svg" ? new Blob([text], { type: "image/svg+xml" }) : svgPng(text);
  }

  // The page's pictures in the chosen colours, by their keys, as Python draws them; with `page`, also
  // an empty HTML page for them.
  drawnAnew(pictures, page) {
    const widths = Object.fromEntries(pictures.filter(({ dom }) => !dom).map(
      ({ key, plot, minWidth }) => [key, Math.round(Math.max(plot?.clientWidth ?? 0, minWidth ?? 0, 420))]));
    const number = this.asked = (this.asked ?? 0) + 1;
    return new Promise((resolve, reject) => {
      this.answer = (made) => { if (made.number === number) resolve(made); };
      setTimeout(() => reject(new Error(this.data.texts.silent)), PATIENCE);
      this.ask("asked", { number, theme: this.colours.value, widths, page });
    });
  }

  plotSvg(picture) {
    const { svg, width } = this.made.pictures[picture.key];
    return captioned(svg, wrapped(this.caption(picture), width - 16, 13));
  }

  headsSvg(picture) {
    const width = Math.max(760, picture.element.clientWidth);
    const caption = wrapped(this.caption(picture), width, 13);
    return headsSvg(picture.heads, this.theme, this.recolour, width, caption);
  }

  domSvg(picture) {
    const lines = wrapped(this.caption(picture), picture.element.clientWidth, 13);
    return domSvg(picture.element, this.theme, this.recolour, lines);
  }

  // One page that holds these pictures: it needs no network.
  page(pictures) {
    const { theme, made } = this;
    const shown = pictures.map((picture) => (picture.dom ? { svg: this.domSvg(picture) } : {
      ...made.pictures[picture.key], caption: this.caption(picture),
    }));
    const content = JSON.stringify({ pictures: shown, text: theme.text, background: theme.background });
    const page = made.page.replace("__PICTURES__", () => content.replaceAll("<", "\\u003c"));
    return new Blob([page], { type: "text/html" });
  }

  async one(name, kind) {
    const picture = this.found().find((other) => other.name === name);
    if (!picture) return this.data.texts.gone;
    if (picture.plot || kind === "html") this.made = await this.drawnAnew([picture], kind === "html");
    const blob = kind === "html" ? this.page([picture]) : await this.image(picture, kind);
    save(`${name}.${kind}`, blob);
    return fill(this.data.texts.saved, { file: `${name}.${kind}` });
  }

  async all() {
    const pictures = this.found();
    this.made = await this.drawnAnew(pictures, true);
    const files = [];
    for (const picture of pictures) {
      for (const kind of ["png", "svg"]) files.push([`${picture.name}.${kind}`, await this.image(picture, kind)]);
    }
    files.push(["pictures.html", this.page(pictures)]);
    const { archive, texts } = this.data;
    save(archive, await zip(files));
    const said = pictures.length === 1 ? texts.saved_one : texts.saved_all;
    return fill(said, { file: archive, pictures: pictures.length });
  }
}

export default function ({ data, parentElement, report }) {
  const root = parentElement.querySelector(".take-pictures");
  root.taker ??= new Taker(root);
  root.taker.ask = report;
  root.taker.data = JSON.parse(new TextDecoder().decode(data));
  root.taker.draw();
  if (root.taker.data.made) root.taker.answer?.(root.taker.data.made);
}
