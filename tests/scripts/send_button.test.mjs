import assert from "node:assert/strict";
import test from "node:test";

const said = [];
globalThis.window = { addEventListener(name, act) { this[name] = act; } };
const { default: draw } = await import("../../assets/components/send_button.js");

const button = { isConnected: true, classList: { toggle() {} } };
const drawn = (taken, session = "first") => draw({
  sent: { session, taken, label: "Send", sending: "Sending …", done: false },
  root: button,
  report: (name) => said.push(name),
});
const key = (event) => window.keydown({ key: "Enter", isComposing: false, target: { matches: () => true }, ...event });

test("Enter in a field sends, other keys and a keyboard that composes do not", () => {
  drawn(null);
  key({ key: "a" });
  key({ isComposing: true });
  key({ target: { matches: () => false } });
  assert.deepEqual(said, []);
  key({});
  assert.deepEqual(said.splice(0), ["sent"]);
});

test("it says that the answer is on its way until it was taken", () => {
  drawn(null); // a run that had not heard of it yet
  assert.equal(button.textContent, "Sending …");
  drawn(7);
  assert.equal(button.textContent, "Send");
  assert.deepEqual(said, []);
});

test("a server that has taken over is told again what the other one has not taken", () => {
  button.onclick();
  drawn(null, "second");
  assert.deepEqual(said.splice(0), ["sent", "sent"]);
  drawn(9, "second");
  drawn(null, "third");
  assert.deepEqual(said, []);
});
