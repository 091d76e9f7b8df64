import assert from "node:assert/strict";
import test from "node:test";

const calls = [];
const log = (name) => (state, unused, url) => calls.push(`${name} ${url}`);
globalThis.window = Object.assign(new EventTarget(), {
  history: { pushState: log("push"), replaceState: log("replace") },
  location: { pathname: "/", search: "" },
});
const { whenBack } = await import("../../assets/components/history.js");

// What a visitor does, and what becomes of the addresses that Streamlit then adds.
function does(type, { key, target = null, repeat = false } = {}) {
  const event = Object.assign(new Event(type), { key, repeat });
  Object.defineProperty(event, "target", { value: target });
  window.dispatchEvent(event);
}
const field = () => ({ type: "text", closest() { return this; } });
function types(key, target) {
  does("keydown", { key, target });
  does("beforeinput", { target });
}
function added(...urls) {
  for (const url of urls) window.history.pushState(null, "", url);
  return calls.splice(0).join(", ");
}

test("an action makes one entry, however often the address changes after it; no action, none", () => {
  assert.equal(added("a"), "replace a");
  does("pointerdown");
  assert.equal(added("b", "c"), "push b, replace c");
  does("pointerdown");
  assert.equal(added("d"), "push d");
});

test("a word is one action, and so is a key that is held down", () => {
  const [word, other] = [field(), field()];
  types("c", word);
  assert.equal(added("c"), "push c");
  types("a", word);
  assert.equal(added("ca"), "replace ca");
  does("keydown", { key: "Enter", target: word });
  assert.equal(added("ca!"), "push ca!");
  types("t", word);
  assert.equal(added("cat"), "push cat");
  types("d", other);
  assert.equal(added("d"), "push d");
  does("keydown", { key: "ArrowRight" });
  assert.equal(added("right"), "push right");
  does("keydown", { key: "ArrowRight", repeat: true });
  assert.equal(added("further"), "replace further");
});

test("what the page restores after Back makes no entry; what is typed then makes one", () => {
  const word = field();
  types("a", word);
  does("popstate");
  assert.equal(added("back"), "replace back");
  types("b", word);
  assert.equal(added("b"), "push b");
});

test("Back and Forward are told, with the page and the choices in the address", () => {
  const told = [];
  whenBack((to) => told.push(to));
  window.location = { pathname: "/base/masks", search: "?pair=2&src=a+b" };
  does("popstate");
  assert.deepEqual(told, [{ page: "masks", params: { pair: "2", src: "a b" } }]);
});

test("what somebody types is sent before Back is told, which may change it", () => {
  const order = [];
  window.addEventListener("going-back", () => order.push("typed"));
  whenBack(() => order.push("back"));
  does("popstate");
  assert.deepEqual(order, ["typed", "back"]);
});
