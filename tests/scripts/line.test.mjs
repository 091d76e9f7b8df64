import assert from "node:assert/strict";
import test, { mock } from "node:test";

mock.timers.enable({ apis: ["setTimeout"] });
const later = setTimeout;
globalThis.setTimeout = (act, delay = 0) => later(act, delay); // as in a browser
let now = 1000;
globalThis.performance = { now: () => now };
globalThis.matchMedia = () => ({ matches: false });
globalThis.window = new EventTarget();
globalThis.document = new EventTarget();
globalThis.MutationObserver = class { observe() {} };
const { default: draw } = await import("../../assets/components/line.js");

// A line on a page: what it has said, and what the server draws and ends.
function line(key, session = "one") {
  const input = Object.assign(new EventTarget(), { value: "", isConnected: true });
  input.classList = { toggle() {} };
  const plain = { replaceChildren() {}, querySelectorAll: () => [] };
  const said = [];
  const root = { querySelector: (name) => (name === "textarea" ? input : plain) };
  const shows = (text, version = 0, seq = 0, of = session) => draw({
    sent: { key, session: of, text, version, seq, examples: { name: "", sentences: [] } },
    root,
    setStateValue: (_, typed) => said.push(typed),
  });
  return {
    said,
    shows,
    ends: (seq) => window.dispatchEvent(Object.assign(new Event("run-ends"), { detail: { seqs: { [key]: seq } } })),
    type(text) {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    },
    leaves() { input.isConnected = false; },
    composes: (type) => input.dispatchEvent(new Event(`composition${type}`)),
    get text() { return input.value; },
    get texts() { return said.map(({ text }) => text); },
  };
}
function pass(milliseconds) {
  now += milliseconds;
  mock.timers.tick(milliseconds);
}
function click() {
  const event = new Event("click");
  Object.defineProperty(event, "target", { value: { closest: () => null } });
  window.dispatchEvent(event);
}

test("one text is on its way; the next is sent when the run that took it has ended, and is the last", () => {
  const src = line("src");
  src.shows("a");
  src.type("a b");
  src.type("a b c");
  src.type("a b c d");
  assert.deepEqual(src.said, [{ seq: 1, text: "a b", session: "one", version: 0 }]);
  src.shows("a b", 0, 1);
  assert.equal(src.text, "a b c d");
  src.ends(0); // a run from before
  assert.equal(src.said.length, 1);
  src.ends(1);
  assert.deepEqual(src.texts, ["a b", "a b c d"]);
  src.ends(2);
  pass(10_000);
  assert.equal(src.said.length, 2);
});

test("however long a run takes, its text is sent once: another request would replace it", () => {
  const src = line("long");
  src.shows("");
  src.type("a");
  src.type("a b");
  pass(60_000);
  assert.deepEqual(src.texts, ["a"]);
  src.ends(1);
  assert.deepEqual(src.texts, ["a", "a b"]);
});

test("before Back, a text is sent at once, though another is on its way", () => {
  const src = line("before back");
  src.shows("a");
  src.type("a b");
  src.type("a b c");
  window.dispatchEvent(new Event("going-back"));
  assert.deepEqual(src.texts, ["a b", "a b c"]);
});

test("a line that has left the page says nothing", () => {
  const src = line("left");
  src.shows("a");
  src.type("a b");
  src.type("a b c");
  src.leaves();
  src.ends(1);
  click();
  pass(60_000);
  assert.deepEqual(src.texts, ["a b"]);
});

test("after a restart, the text is what the new server says, though it counts anew", () => {
  const src = line("restarted");
  src.shows("a");
  src.type("a b");
  src.ends(1);
  src.shows("a b", 0, 0, "two");
  src.shows("an example", 1, 0, "two");
  assert.equal(src.text, "an example");
});

test("the explorer's own text is shown, unless somebody has typed on", () => {
  const src = line("own");
  src.shows("a");
  src.shows("an example", 1);
  assert.equal(src.text, "an example");
  src.type("an examplee");
  src.shows("another", 2);
  assert.equal(src.text, "an examplee");
  src.shows("another", 2, 1); // the text was typed over an older one, and refused
  src.ends(1);
  assert.equal(src.said.length, 1);
});

test("while a letter is composed, nothing is sent", () => {
  const src = line("composed");
  src.shows("");
  src.composes("start");
  src.type("ㄱ");
  assert.deepEqual(src.texts, []);
  src.type("가");
  src.composes("end");
  assert.deepEqual(src.texts, ["가"]);
});

test("a click's request goes alone", () => {
  const src = line("clicked");
  src.shows("");
  click();
  src.type("a");
  assert.deepEqual(src.texts, []);
  pass(250);
  assert.deepEqual(src.texts, ["a"]);
});

test("what another server has not taken is sent to the next; its text is shown otherwise", () => {
  const src = line("moved");
  src.shows("a");
  src.type("a b");
  src.shows("a", 0, 0, "two");
  assert.equal(src.text, "a b");
  pass(1);
  assert.deepEqual(src.said.at(-1), { seq: 2, text: "a b", session: "two", version: 0 });
  src.ends(2);
  src.shows("from its address", 0, 0, "three");
  assert.equal(src.text, "from its address");
});
