// A page that the browser translates. A translator puts <font> elements into the places of texts, but
// React keeps its texts: what it writes into them would not be seen, and the old sentence would stay.
// So each text stays, empty, before its translation, and takes the place back when it is written anew.
// What is data is not translated: code, numbers, and sentences that quote words or numbers.

const DATA = '[data-testid="stText"], [data-testid="stMetricValue"], pre, code, kbd, .katex, .st-key-sentences';
const SENTENCE = '.st-key-page :is([data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"])';
const QUOTES_DATA = /[\d“”„«»]/;

function leaveUntranslated(element, really = true) {
  if (really === element.classList.contains("notranslate")) return;
  element.classList.toggle("notranslate", really);
  if (really) element.translate = false;
  else element.removeAttribute("translate");
}

const judge = (sentence) => leaveUntranslated(sentence, QUOTES_DATA.test(sentence.textContent));

function markWithin(element) {
  if (element.closest('[translate="no"]')) return;
  for (const [selector, mark] of [[DATA, leaveUntranslated], [SENTENCE, judge]]) {
    if (element.matches(selector)) mark(element);
    for (const found of element.querySelectorAll(selector)) mark(found);
  }
}

class Translations {
  constructor() {
    this.fonts = new WeakMap(); // of each text that was translated
    this.texts = new WeakMap(); // of each translation: the text, and what it was
    this.observer = new MutationObserver((records) => this.take(records));
  }

  begin() {
    this.observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    markWithin(document.body);
  }

  take(records) {
    const fonts = [];
    const gone = [];
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (type === "characterData" && target.data) this.fonts.get(target)?.remove();
      for (const node of removedNodes) {
        if (node.nodeType === Node.TEXT_NODE) gone.push([target, node]);
        else this.restore(node);
      }
      for (const node of addedNodes) {
        if (node.nodeName === "FONT") fonts.push([target, node]);
        else if (node.nodeType === Node.ELEMENT_NODE && node.isConnected) markWithin(node);
      }
      const sentence = (target.closest ? target : target.parentElement)?.closest(SENTENCE);
      if (sentence) judge(sentence);
    }
    for (const [parent, text] of gone) {
      const at = fonts.findIndex(([other]) => other === parent);
      if (at >= 0) this.keep(text, fonts.splice(at, 1)[0][1]);
      else if (!text.isConnected) this.fonts.get(text)?.remove();
    }
    this.observer.takeRecords(); // of what was done here
  }

  // A text that a translation has displaced, or that lies in it, goes back to where React put it.
  keep(text, font) {
    if (!font.isConnected) return;
    if (font.contains(text)) text.replaceWith(text.cloneNode());
    this.fonts.set(text, font);
    this.texts.set(font, [text, text.data]);
    font.before(text);
    text.data = "";
  }

  // The reader wants the original again.
  restore(font) {
    const [text, was] = this.texts.get(font) ?? [];
    if (text && !text.data) text.data = was;
  }
}

new Translations().begin();
