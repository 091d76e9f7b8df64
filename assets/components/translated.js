// A page that the browser translates. A translator puts <font> elements into the places of texts, but
// React keeps its texts: what it writes into them would not be seen, and the old sentence would stay.
// So each text stays, empty, before its translation, and takes the place back when it is written anew.
// What is data is not translated: code, numbers, words to choose from, and sentences that quote words
// or numbers.

const DATA = `[data-testid="stText"], [data-testid="stMetricValue"], pre, code, kbd, .katex, .st-key-sentences,
  [role="option"], [data-testid="stRadio"] [role="radiogroup"], .st-key-order_answers, .st-key-lab_answers,
  .st-key-room_right, .st-key-room_options`;
const SENTENCE = '.st-key-page :is([data-testid="stMarkdownContainer"], [data-testid="stCaptionContainer"])';
const QUOTES_DATA = /[\d“”„«»]/;
const LEFT = '[translate="no"]';
const kept = new WeakMap(); // of each translation: the text, and what it was

function leaveUntranslated(element, really = true) {
  element.translate = !really;
  element.classList.toggle("notranslate", really);
}

function judge(sentence) {
  if (sentence.parentElement?.closest(LEFT)) return;
  const quotes = QUOTES_DATA.test(sentence.textContent);
  leaveUntranslated(sentence, quotes);
  if (quotes) sentence.querySelectorAll("font").forEach(putBack);
}

function markWithin(element) {
  if (element.closest(LEFT)) return;
  for (const [selector, mark] of [[DATA, leaveUntranslated], [SENTENCE, judge]]) {
    if (element.matches(selector)) mark(element);
    for (const found of element.querySelectorAll(selector)) mark(found);
  }
}

// A text that a translation has displaced, or that lies in it, goes back to where React put it.
function keep(text, font, was) {
  if (!font.isConnected) return;
  if (font.contains(text)) text.replaceWith(text.cloneNode());
  kept.set(font, { text, was });
  font.before(text);
  text.data = "";
}

// In place of its translation, if it is one, a text says again what it said, or what is new.
function putBack(font) {
  if (!kept.has(font)) return;
  const { text, was } = kept.get(font);
  text.data ||= was;
  font.remove();
}

const observer = new MutationObserver((records) => {
  const before = new Map(); // of each text that was written
  for (const { target, oldValue, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
    if (target.data) {
      before.set(target, oldValue);
      putBack(target.nextSibling);
    }
    for (const node of removedNodes) {
      const isNew = (other) => other?.nodeName === "FONT" && !kept.has(other);
      const font = node.nodeType === Node.TEXT_NODE && [...addedNodes, previousSibling].find(isNew);
      if (font) keep(node, font, before.get(node) || node.data);
      else putBack(node.nodeType === Node.TEXT_NODE ? nextSibling : node);
    }
    for (const node of addedNodes) {
      if (node.nodeType === Node.ELEMENT_NODE && node.isConnected) markWithin(node);
    }
    const sentence = (target.closest ? target : target.parentElement)?.closest(SENTENCE);
    if (sentence) judge(sentence);
  }
  observer.takeRecords(); // of what was done here
});
observer.observe(document.body, { subtree: true, childList: true, characterDataOldValue: true });
markWithin(document.body);
