// The model in one drawing: the encoder reads downwards, the decoder writes upwards, piece by piece,
// and between them the written piece looks back. Each sentence plays once by itself, unless somebody
// prefers reduced motion. All text is set as text.

import { fill, make } from "./texts.js";

const PACE = 900; // milliseconds a step
const SETTLED = 1500; // milliseconds without another sentence, until a new one plays
const READING = 220; // more of them for each layer of the encoder, before the first piece
const LAYER = { encoder: 36, decoder: 32, alone: 64 }; // pixels, where the layers are few
const STACK = { encoder: 150, decoder: 108, alone: 260 };
const CROSS = 92;
const LOW = 0.7; // of these heights, where the screen is narrow: the words that are written stay in sight
const BEAD = 12;
const BESIDE = 8; // from a slanted word to the source word beside it
const PITCH = { least: 25, scrolled: 34, most: 108 }; // from word to word
const SLANT = (50 * Math.PI) / 180; // of words that are too long for their places

function svg(name, attributes = {}, ...content) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

function curve(...places) {
  const [x, y, to, end] = places.map((place) => Math.round(10 * place) / 10);
  const middle = (y + end) / 2;
  return `M${x} ${y}C${x} ${middle} ${to} ${middle} ${to} ${end}`;
}

// One of the same pieces was clicked in the line on top.
let stage = null; // the one on show
window.addEventListener("piece", ({ detail }) => stage?.root.isConnected && stage.data && stage.go(detail));

class Stage {
  constructor(root) {
    this.root = root;
    this.words = root.querySelector(".words");
    this.drawing = root.querySelector("svg");
    this.captions = root.querySelector(".captions");
    this.rivals = root.querySelector(".rivals");
    this.says = root.querySelector(".says");
    this.at = 0;
    this.timer = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.makeButtons(root.querySelector(".buttons"));
    root.addEventListener("keydown", (event) => this.pressed(event));
    stage = this;
    this.words.addEventListener("scroll", () => this.markMore(), { passive: true });
    new ResizeObserver(() => this.data && this.drawAll()).observe(this.words);
  }

  // How much larger the type is than usual, as in presenter mode.
  get times() {
    return parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  }

  // The drawing fades where it goes on.
  markMore() {
    const { scrollLeft, scrollWidth, clientWidth, classList } = this.words;
    classList.toggle("more-left", scrollLeft > 2);
    classList.toggle("more-right", scrollWidth - clientWidth - scrollLeft > 2);
  }

  makeButtons(place) {
    const button = (textContent, act) => make("button", { type: "button", textContent, onclick: act });
    this.backButton = button("◀", () => this.go(this.at - 1));
    this.playButton = button("", () => this.playOrPause());
    this.nextButton = button("▶", () => this.go(this.at + 1));
    this.count = make("span", { className: "count" });
    place.append(this.backButton, this.playButton, this.nextButton, this.count);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own
    if (event.key === "Enter" && event.target === this.root) this.ask(this.at);
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.data.steps.length - 1 }[event.key];
    if (to !== undefined) this.go(to);
    else if (event.key === " " && event.target === this.root) this.playOrPause();
    else return;
    event.preventDefault();
  }

  show(data) {
    const { keys } = this.data ?? {};
    this.texts = data.texts;
    this.stop(); // it may draw, while words and data still belong together
    this.data = data;
    for (const [kind, hue] of Object.entries(data.hues)) this.root.style.setProperty(`--${kind}`, hue);
    this.root.setAttribute("aria-label", data.texts.name);
    this.at = Math.max(0, Math.min(this.chosen ?? data.end, data.steps.length - 1));
    this.drawAll();
    if (String(keys) === String(data.keys) || this.calm || data.steps.length < 2) return;
    if (keys) this.timer = setTimeout(() => this.root.isConnected && this.play(), SETTLED);
    else this.play();
  }

  // Leads to the question why a piece was written.
  ask(step) {
    if (this.data.stacks.decoder && this.data.steps[step]) this.report("asked", this.data.steps[step].at);
  }

  go(to) {
    this.stop();
    this.at = this.chosen = Math.max(0, Math.min(to, this.data.steps.length - 1));
    this.draw();
  }

  playOrPause() {
    if (this.playing) this.go(this.at);
    else this.play();
  }

  play() {
    this.stop();
    this.chosen = undefined;
    this.at = 0;
    this.playing = true;
    this.draw();
    const next = () => {
      if (!this.root.isConnected) return this.stop();
      if (this.at >= this.data.steps.length - 1) {
        this.at = this.data.end;
        return this.stop();
      }
      this.at += 1;
      this.draw();
      this.timer = setTimeout(next, PACE);
    };
    this.timer = setTimeout(next, PACE + READING * (this.data.stacks.encoder?.layers ?? 0));
    this.nameButtons();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.playing) {
      this.playing = false;
      this.draw();
    }
    this.nameButtons();
  }

  nameButtons() {
    const { back, next, play, again, pause } = this.texts;
    this.playButton.textContent = this.playing ? pause : play;
    const labels = [[this.backButton, back], [this.playButton, this.playing ? pause : again], [this.nextButton, next]];
    for (const [button, label] of labels) {
      button.setAttribute("aria-label", label);
      button.title = label;
    }
  }

  // ------------------------------------------------------------------ what the sentence decides

  drawAll() {
    if (!this.words.clientWidth) return; // folded away
    const { keys, stacks, steps } = this.data;
    const written = stacks.decoder ? [...stacks.decoder.words, steps.at(-1).writes] : [];
    const sources = new Map(steps.map((step) => [step.row + 1, step.from])); // of each piece
    this.narrow = matchMedia("(max-width: 900px)").matches; // as in the style
    this.drawing.replaceChildren();
    this.rows = { keys: this.row("keys", stacks.encoder ? keys : []), written: this.row("written", written, sources) };
    this.place();
    this.lines = { encoder: [], decoder: [] };
    for (const kind of ["encoder", "decoder"]) if (stacks[kind]) this.drawStack(kind);
    this.cross = svg("g", { class: "cross" });
    this.drawing.append(this.cross, this.rows.keys.group, this.rows.written.group);
    this.drawBeads();
    this.caption();
    this.draw();
  }

  // The words of one side, measured and not yet in their places.
  row(name, texts, sources = new Map()) {
    const group = svg("g", { class: name });
    this.drawing.append(group);
    const words = texts.map((text, at) => {
      const source = svg("text", { class: "from" }, sources.get(at) ?? "");
      const word = svg("g", { class: "word" }, svg("rect", { rx: 5 }), svg("text", {}, text), source);
      if (sources.has(at)) word.append(svg("title", {}, this.texts.why));
      group.append(word);
      return word;
    });
    const first = this.data.steps[0]?.row ?? 0; // what is before it was not written by the model
    words.forEach((word, at) => word.addEventListener("click", () => {
      if (name === "written" && at > first) this.ask(at - 1 - first);
      else if (name === "keys" && !this.data.stacks.decoder) this.go(at);
    }));
    return { name, group, words };
  }

  // Sets the place of every word, and the height of every part.
  place() {
    const { keys, written } = this.rows;
    const { stacks } = this.data;
    const rows = [keys, written];
    const most = Math.max(...rows.map(({ words }) => words.length), 1);
    let room = this.words.clientWidth;
    for (const row of rows) this.turn(row, Math.min(PITCH.most, room / Math.max(row.words.length, 1)));
    const [right, left] = rows.map(({ over }) => Math.max(over, 8));
    room -= left + right;
    const long = room / most < PITCH.least;
    this.root.classList.toggle("long", long);
    if (long) room = most * PITCH.scrolled;
    for (const row of rows) {
      const count = row.words.length;
      row.step = Math.min(long ? room : PITCH.most, room / count);
      const begin = left + (room - count * row.step) / 2;
      row.at = row.words.map((_, n) => begin + (n + 0.5) * row.step);
    }
    const both = stacks.encoder && stacks.decoder;
    const low = (this.narrow ? LOW : 1) * this.times;
    const height = (kind) => {
      const layers = stacks[kind]?.layers ?? 0;
      const as = both ? kind : "alone";
      return layers && layers * Math.max(9, low * Math.min(LAYER[as], STACK[as] / layers));
    };
    const y = { keys: keys.height };
    y.memory = y.keys + height("encoder");
    y.decoder = y.memory + BEAD + (both ? BEAD + low * CROSS : 0); // where its output leaves
    y.written = y.decoder + height("decoder");
    y.end = y.written + written.height + 2;
    this.y = y;
    const width = room + left + right;
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${y.end}`);
    this.drawing.style.width = `${width}px`;
    this.drawing.style.height = `${y.end}px`;
    this.width = width;
    this.setWords(keys, y.keys - 9, -1);
    this.setWords(written, y.written + 21 * this.times, 1);
  }

  // Words stand upright if none touches the next, a little smaller if need be; else they are slanted.
  turn(row, step) {
    const { group, words, name } = row;
    const measure = (size) => {
      group.style.fontSize = `${size}rem`;
      row.lengths = words.map(({ children: [, text] }) => {
        text.style.fontWeight = name === "written" ? 700 : ""; // as wide as it gets
        const length = text.getComputedTextLength();
        text.style.fontWeight = "";
        return length;
      });
      row.sources = words.map(({ children: [, , source] }) => source.getComputedTextLength());
      const widths = row.lengths.map((length, n) => Math.max(length, row.sources[n]));
      return widths.some((width, n) => (width + (widths[n + 1] ?? width)) / 2 + 12 > step);
    };
    const size = this.narrow ? 1 : 1.15;
    row.slanted = measure(size) && measure(0.92 * size) && measure(0.95);
    row.height = words.length ? (row.sources.some(Boolean) ? 48 : 30) * this.times : 0;
    row.over = 0; // how far the words reach beyond the places at the edge
    if (!row.slanted) return;
    const whole = row.lengths.map((length, n) => length + (row.sources[n] && row.sources[n] + BESIDE));
    const lengths = name === "keys" ? whole.toReversed() : whole;
    // In whole pixels: words are never measured twice as equally long, and it would be drawn for ever.
    row.height = Math.ceil(Math.max(...lengths) * Math.sin(SLANT) + 14);
    row.over = Math.ceil(Math.max(...lengths.map((length, n) => length * Math.cos(SLANT) - (n + 0.5) * step + 12)));
  }

  // Words above the drawing end where it begins (-1), and words below it begin where it ends (1).
  setWords({ words, lengths, at, slanted }, baseline, side) {
    words.forEach((word, n) => {
      const length = lengths[n];
      const [box, text, source] = word.children;
      const left = slanted ? (side < 0 ? 0 : -length) : -length / 2;
      text.setAttribute("x", slanted ? left : 0);
      text.setAttribute("text-anchor", slanted ? "start" : "middle");
      source.setAttribute("x", slanted ? left - BESIDE : 0);
      source.setAttribute("y", slanted ? 0 : 19 * this.times);
      source.setAttribute("text-anchor", slanted ? "end" : "middle");
      const [above, height] = (slanted ? [15, 20] : [18, 25]).map((pixels) => pixels * this.times);
      const sizes = { x: left - 5, y: -above, width: length + 10, height };
      for (const [name, value] of Object.entries(sizes)) box.setAttribute(name, value);
      const turned = slanted ? ` rotate(-50)` : "";
      const x = at[n] + (slanted ? side * 4 + 3 : 0);
      word.setAttribute("transform", `translate(${x} ${slanted && side > 0 ? baseline - 8 : baseline})${turned}`);
    });
  }

  // Lines from keys to queries, layer by layer: bytes of layer, query, key, weight.
  drawStack(kind) {
    const { layers, lines } = this.data.stacks[kind];
    const down = kind === "encoder";
    const { at } = down ? this.rows.keys : this.rows.written;
    const [begin, end] = down ? [this.y.keys, this.y.memory] : [this.y.written, this.y.decoder];
    const step = (end - begin) / layers;
    const group = svg("g", { class: kind });
    this.lines[kind] = at.slice(0, down ? undefined : -1).map((x) => {
      const stream = svg("path", { class: "stream", d: `M${x} ${begin}V${end}` }); // the residual one
      group.append(stream);
      return [stream];
    });
    const bytes = Uint8Array.from(atob(lines), (letter) => letter.charCodeAt(0));
    for (let n = 0; n < bytes.length; n += 4) {
      const [layer, query, key, weight] = bytes.subarray(n, n + 4);
      const from = begin + layer * step;
      const line = svg("path", {
        d: curve(at[key], from, at[query], from + step),
        "stroke-width": (0.6 + (6 * weight) / 255).toFixed(1),
        style: `--layer: ${layer}; --strength: ${(weight / 255).toFixed(2)}`,
      });
      this.lines[kind][query].push(line);
      group.append(line);
    }
    this.drawing.append(group);
  }

  drawBeads() {
    const bead = (row, y) => row.at.map((x) => {
      const width = Math.min(24, row.step - 4);
      return svg("rect", { class: "bead", x: x - width / 2, y, width, height: BEAD, rx: 3 });
    });
    const { encoder, decoder } = this.data.stacks;
    this.beads = {
      encoder: encoder ? bead(this.rows.keys, this.y.memory) : [],
      decoder: decoder ? bead(this.rows.written, this.y.decoder - BEAD).slice(0, -1) : [],
    };
    for (const [kind, beads] of Object.entries(this.beads)) this.drawing.append(svg("g", { class: kind }, ...beads));
  }

  caption() {
    const { keys, memory, decoder } = this.y;
    const at = { encoder: keys - 4, cross: memory + BEAD + 4, decoder: decoder + 4 };
    this.captions.replaceChildren(...Object.entries(this.data.captions).map(([kind, [title, more]]) => {
      const caption = make("p", { className: kind }, make("b", {}, title), " ", make("span", {}, more));
      caption.style.top = `${at[kind]}px`;
      return caption;
    }));
  }

  // ------------------------------------------------------------------ what the step decides

  // While it plays, later steps are not drawn yet.
  draw() {
    if (!this.lines) return;
    const { steps, stacks } = this.data;
    const step = steps[this.at];
    this.count.textContent = steps.length ? `${this.at + 1} / ${steps.length}` : "";
    this.root.dataset.step = String(this.at);
    this.says.setAttribute("aria-live", this.playing ? "off" : "polite");
    this.root.classList.toggle("reading", Boolean(this.playing) && this.at === 0);
    const looks = new Map(step?.looks);
    const most = step?.looks[0]?.[0];
    const written = (step?.row ?? 0) + 1;
    this.rows.keys.words.forEach((word, n) => word.style.setProperty("--look", looks.get(n) ?? 0));
    this.rows.written.words.forEach((word, n) => {
      word.classList.toggle("now", n === written);
      word.classList.toggle("later", n > written && Boolean(this.playing));
      word.classList.toggle("after", n > written);
      if (!stacks.encoder) word.style.setProperty("--look", looks.get(n) ?? 0);
    });
    const now = { encoder: stacks.decoder ? most : step?.row, decoder: step?.row };
    for (const kind of ["encoder", "decoder"]) {
      const mark = (element, query) => {
        element.classList.toggle("now", query === now[kind]);
        element.classList.toggle("later", kind === "decoder" && query > now[kind]);
      };
      this.lines[kind].forEach((lines, query) => lines.forEach((line) => mark(line, query)));
      this.beads[kind].forEach(mark);
    }
    this.drawLooks();
    this.bringInSight([this.rows.written.words[written], this.rows.keys.words[most]]);
    this.say(step);
  }

  drawLooks() {
    const { steps, stacks } = this.data;
    const step = steps[this.at];
    const drawn = [];
    if (stacks.encoder && stacks.decoder) {
      drawn.push(...steps.slice(0, this.at).flatMap((before) => this.ribbons(before, before.looks.slice(0, 1), 3, 0)));
      drawn.push(...this.ribbons(step, step.looks, 8, 0.3));
      const key = step.looks[0]?.[0];
      const { at } = this.rows.keys;
      // Beside the line, which goes the other way; and never over the edge.
      const left = at[key] > 44 && (this.rows.written.at[step.row] > at[key] || at[key] + 44 > this.width);
      if (step.looks.length) drawn.push(svg("text", {
        x: at[key] + (left ? -9 : 9), y: this.y.memory + BEAD + 17, "text-anchor": left ? "end" : "start",
      }, step.most));
    }
    if (stacks.decoder && !this.narrow && !this.root.classList.contains("long")) {
      const [from, to, y] = [this.rows.written.at[step.row] + 15, this.width - 2, this.y.decoder - BEAD / 2];
      drawn.push(svg("path", { class: "out", d: `M${from} ${y}H${to}M${to - 7} ${y - 5}L${to} ${y}L${to - 7} ${y + 5}` }));
      if (to - from > 200) drawn.push(svg("text", { class: "out", x: to - 10, y: y - 8, "text-anchor": "end" }, this.texts.rivals));
    }
    this.cross.replaceChildren(...drawn);
  }

  // The weights of a step on the memory.
  ribbons({ row }, looks, thickness, least) {
    return looks.map(([key, weight]) => svg("path", {
      d: curve(this.rows.keys.at[key], this.y.memory + BEAD, this.rows.written.at[row], this.y.decoder - BEAD),
      "stroke-width": (1 + thickness * weight).toFixed(1),
      opacity: (least ? least + (1 - least) * weight : 0.3 * weight).toFixed(2),
      ...(least && this.playing && { class: "new" }),
    }));
  }

  // If not both words are in sight, they are scrolled to the middle; or the first, if both do not fit.
  bringInSight(words) {
    const boxes = words.filter(Boolean).map((word) => word.getBoundingClientRect());
    if (boxes.length) {
      const all = this.words.getBoundingClientRect();
      let [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
      if (right - left > all.width) [{ left, right }] = boxes;
      const away = (left + right - all.left - all.right) / 2;
      if (Math.abs(away) > (all.width - (right - left)) / 2) this.words.scrollLeft += away;
    }
    this.markMore();
  }

  say(step) {
    this.rivals.replaceChildren();
    this.says.textContent = "";
    if (!step) return;
    const { stacks } = this.data;
    const { writes, named, most: weight, rivals, rest, looks: [best] } = step;
    this.says.textContent = fill(best ? this.texts.looks : this.texts.looksNowhere, { ...named, weight });
    if (!rivals.length) return;
    this.rivals.append(make("p", {}, fill(this.texts.rivals, named)), ...[...rivals, ...rest].map(([name, share, number], n) => {
      const chosen = stacks.decoder && name === writes ? "bar chosen" : "bar";
      const bar = make("div", { className: n < rivals.length ? chosen : "bar rest" });
      bar.style.setProperty("--share", share);
      bar.append(make("bdi", {}, name), make("span", {}, number));
      return bar;
    }));
  }
}

export default function ({ sent, isNew, root, report }) {
  if (!isNew) return;
  root.stage ??= new Stage(root);
  root.stage.report = report;
  root.stage.show(sent);
}
