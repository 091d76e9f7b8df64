// A line that somebody types in. One text is on its way at a time: the next is sent when the run that
// took the last has ended, and it is what the field then holds. So no run is replaced because of a
// letter, and the last text is always sent. It is sent at once before anything else is done: what
// changes the text then changes this one.
//
// Where a lost connection has lost a part of a run, Streamlit takes the field away, and the next run
// brings it back. Whoever types in it types on: it stays where it was, with the focus.
//
// Below an empty field, or one that has the focus and is not typed in yet, stand examples: see line.css.

import { oneStop } from "./one_stop.js";
import { make } from "./texts.js";

const CLICK = 250; // milliseconds in which a click's request is on its way alone

const lines = new Map(); // by key
// A phone's keyboard composes each word; others compose letters that do not exist yet.
const composesWords = matchMedia("(pointer: coarse)").matches;
let clicked = -CLICK;
let typing = null; // the line with the focus

const inOneLine = (text) => text.replace(/\s*[\r\n]\s*/g, " ");

class Line {
  constructor(input) {
    this.input = input;
    this.session = null; // whose texts these are
    this.version = 0; // of the explorer's own changes
    this.sent = { seq: 0, text: "" };
    this.taken = 0;
    this.composing = false;
    this.stay = null; // what holds the field while it has no place
    input.addEventListener("beforeinput", (event) => {
      if (/^insert(LineBreak|Paragraph)$/.test(event.inputType)) event.preventDefault();
    });
    input.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text");
      if (inOneLine(text) === text) return;
      event.preventDefault();
      document.execCommand("insertText", false, inOneLine(text)); // the caret stays behind it, and it can be undone
    });
    input.addEventListener("input", () => {
      if (inOneLine(input.value) !== input.value) input.value = inOneLine(input.value); // it was dropped
      this.isTypedIn(true);
      this.follow();
    });
    input.addEventListener("focus", () => this.isTypedIn(false));
    input.addEventListener("compositionstart", () => { this.composing = !composesWords; });
    input.addEventListener("compositionend", () => {
      this.composing = false;
      this.follow();
    });
  }

  isTypedIn(yes) {
    this.input.classList.toggle("typed-in", yes);
    this.input.classList.toggle("closed", false);
  }

  // Escape closes the examples, whether the field or one of them has the focus.
  closeBy(event, list) {
    if (event.key !== "Escape" || !list.getClientRects().length) return;
    event.preventDefault(); // it closes nothing else
    this.input.focus();
    this.input.classList.toggle("closed", true);
  }

  get isWaiting() {
    return this.sent.seq > this.taken;
  }

  get isAhead() {
    return this.input.value !== this.sent.text;
  }

  follow() {
    clearTimeout(this.later);
    if (this.composing || this.stay || this.isWaiting || !this.isAhead) return;
    const left = clicked + CLICK - performance.now();
    if (left > 0) this.later = setTimeout(() => this.follow(), left);
    else this.send();
  }

  send() {
    if (this.stay || !this.input.isConnected) return; // its page was turned
    this.sent = { seq: this.sent.seq + 1, text: this.input.value };
    this.report({ ...this.sent, session: this.session, version: this.version });
  }

  // What the server has. It is older than the field if a text is on its way.
  show({ session, text, version, seq }) {
    if (session !== this.session) this.begin(session, text, seq);
    else if ((seq === this.sent.seq || !this.isWaiting) && text !== this.sent.text && !this.isAhead) {
      this.sent.text = text;
      this.input.value = text;
    }
    this.version = version;
  }

  // A server has begun a session. What was typed for another one, and not taken, is sent to this.
  begin(session, text, seq) {
    const isKept = this.session !== null && (this.isWaiting || this.isAhead);
    this.session = session;
    this.taken = Math.max(seq, this.sent.seq);
    this.sent = { seq: this.taken, text };
    if (isKept) setTimeout(() => this.follow());
    else this.input.value = text;
  }

  offer(list, { name, sentences }) {
    list.ariaLabel = name;
    if (String(list.offered) === String(sentences)) return;
    list.offered = sentences;
    list.replaceChildren(...sentences.map((sentence) => make("button", {
      type: "button",
      textContent: sentence,
      onclick: () => {
        typing = this;
        this.input.value = sentence;
        this.input.focus();
        this.input.dispatchEvent(new Event("input"));
      },
    })));
    list.onmousedown = (event) => event.preventDefault(); // the field keeps the focus
    oneStop(list);
  }

  move(put) {
    const { input } = this;
    const [from, to] = [input.selectionStart, input.selectionEnd];
    put(input);
    input.focus({ preventScroll: true });
    input.setSelectionRange(from, to);
  }

  loses() {
    const { left, top, width } = this.box;
    this.stay = make("div", { className: "line" });
    this.stay.style = `position: fixed; z-index: 10; left: ${left}px; top: ${top}px; width: ${width}px`;
    document.body.append(this.stay);
    this.move((input) => this.stay.append(input));
  }

  // What was sent meanwhile may be lost: all that the field holds is sent once more.
  returns(place) {
    this.move((input) => place.replaceWith(input));
    this.gone();
    this.session = "";
  }

  gone() {
    this.stay.remove();
    this.stay = null;
  }

  ends(seq) {
    if (seq < this.sent.seq) return; // that run had not heard of it yet
    this.taken = seq;
    this.follow();
  }
}

for (const type of ["pointerdown", "pointerup", "click"]) {
  window.addEventListener(type, ({ target }) => {
    if (!target.closest?.(".line")) clicked = performance.now();
  }, { capture: true, passive: true });
}

for (const type of ["pointerdown", "focusout", "going-back"]) {
  window.addEventListener(type, () => {
    for (const line of lines.values()) if (line.isAhead && !line.composing) line.send();
  }, { capture: true, passive: true });
}

document.addEventListener("focusin", ({ target }) => {
  typing = [...lines.values()].find(({ input }) => input === target) ?? null;
  if (typing) typing.box = target.getBoundingClientRect();
});
document.addEventListener("pointerdown", ({ target }) => {
  if (target !== typing?.input) typing = null;
});
new MutationObserver(() => {
  if (typing && !typing.input.isConnected) typing.loses();
}).observe(document.body, { childList: true, subtree: true });

window.addEventListener("run-ends", ({ detail: { seqs } }) => {
  for (const [key, line] of lines) if (line.stay && !(key in seqs)) line.gone();
  for (const [key, seq] of Object.entries(seqs)) lines.get(key)?.ends(seq);
});

export default function ({ sent, root, setStateValue }) {
  const { key, label, placeholder, examples, ...shown } = sent;
  if (lines.get(key)?.stay) lines.get(key).returns(root.querySelector("textarea"));
  const input = root.querySelector("textarea");
  const name = root.querySelector("label");
  name.textContent = label;
  name.htmlFor = input.id = `line-${key}`;
  input.placeholder = placeholder;
  if (lines.get(key)?.input !== input) lines.set(key, new Line(input));
  const line = lines.get(key);
  line.report = (typed) => setStateValue("typed", typed);
  line.show(shown);
  const list = root.querySelector(".examples");
  line.offer(list, examples);
  root.onkeydown = (event) => line.closeBy(event, list);
}
