// An answer that is written piece by piece. Lines lead from each piece to the words that it looks
// at; beside them stand the likeliest pieces. It plays once by itself, unless somebody prefers
// reduced motion. All text is set as text.

const { fill } = await import(new URL("texts.js", import.meta.url) + new URL(import.meta.url).search);

const PACE = 900; // milliseconds a step
const LONG = 20; // pieces that stand in one line

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// One of the same pieces was clicked in the line on top.
let stage = null; // the one on show
window.addEventListener("piece", ({ detail }) => stage?.root.isConnected && stage.data && stage.go(detail));

class Stage {
  constructor(root) {
    this.root = root;
    this.keys = root.querySelector(".keys");
    this.written = root.querySelector(".written");
    this.lines = root.querySelector("svg");
    this.rivals = root.querySelector(".rivals");
    this.says = root.querySelector(".says p");
    this.at = 0;
    this.timer = null;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.makeButtons(root.querySelector(".buttons"));
    root.addEventListener("keydown", (event) => this.pressed(event));
    stage = this;
    this.words = root.querySelector(".words");
    this.words.addEventListener("scroll", () => this.markMore(), { passive: true });
    new ResizeObserver(() => this.data && this.drawLines()).observe(this.words);
  }

  // The words fade where they go on.
  markMore() {
    const { scrollLeft, scrollWidth, clientWidth, classList } = this.words;
    classList.toggle("more-left", scrollLeft > 2);
    classList.toggle("more-right", scrollWidth - clientWidth - scrollLeft > 2);
  }

  makeButtons(place) {
    const make = (sign, act) => {
      const button = element("button", "", sign);
      button.type = "button";
      button.addEventListener("click", act);
      place.append(button);
      return button;
    };
    this.backButton = make("◀", () => this.go(this.at - 1));
    this.playButton = make("", () => (this.timer ? this.stop() : this.play()));
    this.nextButton = make("▶", () => this.go(this.at + 1));
    this.count = element("span", "count");
    place.append(this.count);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: this.data.steps.length - 1 }[event.key];
    if (to !== undefined) this.go(to);
    else if (event.key === " " && event.target === this.root) this.timer ? this.stop() : this.play();
    else return;
    event.preventDefault();
  }

  show(data) {
    const first = !this.data;
    this.texts = data.texts;
    this.stop(); // it may draw, while words and data still belong together
    this.data = data;
    this.root.style.setProperty("--hue", data.hue);
    this.root.setAttribute("aria-label", data.texts.name);
    this.keys.replaceChildren(...data.keys.map((key) => this.word(key)));
    this.written.replaceChildren(
      ...data.steps.map(({ writes }, n) => {
        const item = this.word(writes);
        item.addEventListener("click", () => this.go(n));
        return item;
      }),
    );
    this.root.classList.toggle("long", Math.max(data.keys.length, data.steps.length) > LONG);
    this.at = Math.max(0, Math.min(this.chosen ?? this.data.telling, data.steps.length - 1));
    if (first && !this.calm && data.steps.length > 1) this.play();
    else this.draw();
  }

  word(text) {
    const item = element("li");
    item.append(element("bdi", "", text));
    return item;
  }

  go(to) {
    this.stop();
    this.at = this.chosen = Math.max(0, Math.min(to, this.data.steps.length - 1));
    this.draw();
  }

  play() {
    this.stop();
    this.at = 0;
    this.playing = true;
    this.draw();
    this.timer = setInterval(() => {
      if (!this.root.isConnected) return this.stop();
      if (this.at >= this.data.steps.length - 1) {
        this.at = this.data.telling;
        return this.stop();
      }
      this.at += 1;
      this.draw();
    }, PACE);
    this.nameButtons();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    if (this.playing) {
      this.playing = false;
      this.draw();
    }
    this.nameButtons();
  }

  nameButtons() {
    const { back, next, play, again, pause } = this.texts;
    this.playButton.textContent = this.timer ? pause : play;
    const labels = [[this.backButton, back], [this.playButton, this.timer ? pause : again], [this.nextButton, next]];
    for (const [button, label] of labels) {
      button.setAttribute("aria-label", label);
      button.title = label;
    }
  }

  // While it plays, what comes later is not there yet.
  draw() {
    const { steps } = this.data;
    [...this.written.children].forEach((item, n) => {
      item.classList.toggle("later", Boolean(this.playing) && n > this.at);
      item.classList.toggle("now", n === this.at);
    });
    this.drawLines();
    const step = steps[this.at];
    this.count.textContent = steps.length ? `${this.at + 1} / ${steps.length}` : "";
    this.root.dataset.step = String(this.at);
    this.says.setAttribute("aria-live", this.playing ? "off" : "polite");
    if (!step) {
      this.rivals.replaceChildren();
      this.says.textContent = "";
      return;
    }
    this.drawRivals(step);
    const best = step.looks[0];
    const { reads, writes, most: weight } = step;
    const key = best ? this.data.keys[best[0]] : "";
    const said = best ? this.texts.looks : this.texts.looksNowhere;
    this.says.textContent = fill(said, { reads, writes, key, weight, head: this.data.head });
  }

  drawRivals({ rivals, writes }) {
    const title = element("p", "", this.texts.rivals);
    const bars = rivals.map(([name, share, written]) => {
      const bar = element("div", name === writes ? "bar chosen" : "bar");
      bar.style.setProperty("--share", share);
      bar.append(element("bdi", "", name), element("span", "", written));
      return bar;
    });
    this.rivals.replaceChildren(title, ...bars);
  }

  // By how much the first word is out of the middle, if not all of it is in sight; if both words
  // fit, the two of them.
  off(words, frame) {
    const boxes = words.filter(Boolean).map((word) => word.getBoundingClientRect());
    if (!boxes.length) return 0;
    const all = frame.getBoundingClientRect();
    let [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
    if (right - left > all.width) [{ left, right }] = boxes;
    const away = (left + right - all.left - all.right) / 2;
    return Math.abs(away) > (all.width - (right - left)) / 2 ? away : 0;
  }

  drawLines() {
    const { words } = this;
    const most = this.data.steps[this.at]?.looks[0];
    words.scrollLeft += this.off([this.written.children[this.at], this.keys.children[most?.[0]]], words);
    const { left, top } = words.getBoundingClientRect();
    const box = { left: left - words.scrollLeft, top };
    this.lines.style.width = ""; // or it would keep the words as wide as they were
    this.lines.style.width = `${words.scrollWidth}px`;
    this.lines.setAttribute("viewBox", `0 0 ${words.scrollWidth} ${words.clientHeight}`);
    const middle = (item) => {
      const at = item.getBoundingClientRect();
      return [at.left + at.width / 2 - box.left, at.top - box.top, at.bottom - box.top];
    };
    const tops = [...this.keys.children].map(middle);
    const lines = [];
    this.data.steps.forEach(({ looks }, n) => {
      if (n > this.at && this.playing) return;
      const now = n === this.at;
      const [x, y] = middle(this.written.children[n]);
      for (const [key, weight] of now ? looks : looks.slice(0, 1)) {
        const [from, , bottom] = tops[key];
        const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
        const bend = (y - bottom) / 2;
        line.setAttribute("d", `M${from} ${bottom} C${from} ${bottom + bend} ${x} ${y - bend} ${x} ${y}`);
        line.setAttribute("stroke-width", (now ? 1 + 5 * weight : 1.5).toFixed(1));
        line.setAttribute("opacity", (now ? 0.25 + 0.75 * weight : 0.3 * weight).toFixed(2));
        if (now && this.playing) line.setAttribute("class", "new");
        lines.push(line);
      }
    });
    this.lines.replaceChildren(...lines);
    this.markMore();
    const looked = new Map(this.data.steps[this.at]?.looks);
    [...this.keys.children].forEach((item, n) => item.style.setProperty("--look", looked.get(n) ?? 0));
  }
}

export default function ({ data: bytes, parentElement }) {
  const root = parentElement.querySelector(".writing");
  const text = new TextDecoder().decode(bytes);
  if (root.drawn === text) return;
  root.drawn = text;
  root.stage ??= new Stage(root);
  root.stage.show(JSON.parse(text));
}
