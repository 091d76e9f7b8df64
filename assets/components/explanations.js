// A word that is marked (a link to the Glossary) shows what it means: while the mouse is over it,
// while it has the focus, and after a tap. A click, or a second tap, opens the Glossary there.

import { make } from "./texts.js";

const MARKED = 'a[href^="glossary#"]';
const GRACE = 200; // milliseconds in which the mouse may move from the word to its explanation

class Explanations {
  constructor() {
    const on = (type, does) => document.addEventListener(type, (event) => {
      const word = event.target.closest?.(MARKED);
      if (word) does(word, event);
    });
    on("pointerover", (word, { pointerType }) => pointerType === "mouse" && this.show(word));
    on("pointerout", () => this.hideSoon());
    on("focusin", (word) => word.matches(":focus-visible") && this.show(word));
    on("focusout", () => this.hide());
    on("click", (word, event) => this.click(word, event));
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.hide());
    document.addEventListener("pointerdown", ({ target }) => {
      if (!target.closest?.(`${MARKED}, .explanation`)) this.hide();
    });
    document.addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
  }

  // Streamlit may mount the box anew; the page's listeners stay.
  attach(box) {
    if (this.box === box) return;
    this.box = box;
    this.word = null;
    box.id = "explanation";
    box.addEventListener("pointerenter", () => clearTimeout(this.hiding));
    box.addEventListener("pointerleave", () => this.hideSoon());
  }

  show(word) {
    clearTimeout(this.hiding);
    const [name, says] = this.words[word.hash.slice(1)] ?? [];
    if (!says || this.word === word) return;
    this.hide();
    this.word = word;
    this.box.replaceChildren(make("strong", {}, name), ` ${says}`);
    word.setAttribute("aria-describedby", this.box.id);
    this.box.showPopover();
    const at = word.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.box;
    const below = at.bottom + 6 + offsetHeight <= innerHeight;
    this.box.style.left = `${Math.max(8, Math.min(at.left, innerWidth - offsetWidth - 8))}px`;
    this.box.style.top = `${below ? at.bottom + 6 : at.top - offsetHeight - 6}px`;
  }

  hideSoon() {
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.hide(), GRACE);
  }

  hide() {
    clearTimeout(this.hiding);
    this.word?.removeAttribute("aria-describedby");
    this.word = null;
    if (this.box.matches(":popover-open")) this.box.hidePopover();
  }

  click(word, event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !this.words[word.hash.slice(1)]) return;
    event.preventDefault(); // a new tab would not have the visitor's choices
    if (event.pointerType === "touch" && this.word !== word) return this.show(word);
    this.hide();
    this.open(word.hash.slice(1));
  }
}

let explanations = null;

// Explains these words in a box from now on.
export function explain(words, box, report) {
  explanations ??= new Explanations();
  explanations.attach(box);
  explanations.words = words;
  if (explanations.word?.isConnected === false) explanations.hide(); // its page was turned
  explanations.open = (word) => {
    document.querySelector(".word-list")?.dispatchEvent(new CustomEvent("asked", { detail: word }));
    report("opened", word);
  };
}
