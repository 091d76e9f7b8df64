// A line that somebody types in. One text is on its way at a time: the next is sent when the run that
// took the last has ended, and it is what the field then holds. So no run is replaced because of a
// letter, and the last text is always sent. It is sent at once before anything else is done: what
// changes the text then changes this one.

const CLICK = 250; // milliseconds in which a click's request is on its way alone

const lines = new Map(); // by key
// A phone's keyboard composes each word; others compose letters that do not exist yet.
const composesWords = matchMedia("(pointer: coarse)").matches;
let clicked = -CLICK;

class Line {
  constructor(input) {
    this.input = input;
    this.session = null; // whose texts these are
    this.version = 0; // of the explorer's own changes
    this.sent = { seq: 0, text: "" };
    this.taken = 0;
    this.composing = false;
    input.addEventListener("input", () => this.follow());
    input.addEventListener("compositionstart", () => { this.composing = !composesWords; });
    input.addEventListener("compositionend", () => {
      this.composing = false;
      this.follow();
    });
  }

  get isWaiting() {
    return this.sent.seq > this.taken;
  }

  get isAhead() {
    return this.input.value !== this.sent.text;
  }

  follow() {
    clearTimeout(this.later);
    if (this.composing || this.isWaiting || !this.isAhead) return;
    const left = clicked + CLICK - performance.now();
    if (left > 0) this.later = setTimeout(() => this.follow(), left);
    else this.send();
  }

  send() {
    if (!this.input.isConnected) return; // its page was turned
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

for (const type of ["pointerdown", "focusout", "popstate"]) {
  window.addEventListener(type, () => {
    for (const line of lines.values()) if (line.isAhead && !line.composing) line.send();
  }, { capture: true, passive: true });
}

window.addEventListener("run-ends", ({ detail: { seqs } }) => {
  for (const [key, seq] of Object.entries(seqs)) lines.get(key)?.ends(seq);
});

export default function ({ data, parentElement, setStateValue }) {
  const { key, label, placeholder, ...shown } = JSON.parse(new TextDecoder().decode(data));
  const input = parentElement.querySelector("input");
  const name = parentElement.querySelector("label");
  name.textContent = label;
  name.htmlFor = input.id = `line-${key}`;
  input.placeholder = placeholder;
  if (lines.get(key)?.input !== input) lines.set(key, new Line(input));
  const line = lines.get(key);
  line.report = (typed) => setStateValue("typed", typed);
  line.show(shown);
}
