import assert from "node:assert/strict";
import test from "node:test";

globalThis.window = new EventTarget();
const app = { dataset: { testConnectionState: "CONNECTED" } };
globalThis.document = { querySelector: () => app };
let connection = null;
globalThis.MutationObserver = class {
  constructor(act) {
    connection = (state) => {
      app.dataset.testConnectionState = state;
      act();
    };
  }

  observe() {}
};
const { default: draw } = await import("../../assets/components/run_ends.js");
const said = [];
const sends = (sent) => draw({ sent, report: (event, run) => said.push([event, run]) });

test("a part that ticks asks for everything if a run before it has not arrived", () => {
  const ended = [];
  window.addEventListener("run-ends", ({ detail }) => ended.push(detail.seqs));
  sends({ session: "one", run: 3, seqs: { src: 2 } });
  assert.deepEqual(ended, [{ src: 2 }]);
  sends({ session: "one", run: 3 });
  assert.deepEqual(said, []);
  sends({ session: "one", run: 4 });
  assert.deepEqual(said.splice(0), [["missed", 3]]);
  sends({ session: "two", run: 1, seqs: {} }); // another server counts anew
  sends({ session: "two", run: 1 });
  assert.deepEqual(said, []);
});

test("whoever is connected again asks for everything, once", () => {
  for (const state of ["PINGING_SERVER", "CONNECTING", "CONNECTED", "CONNECTED"]) connection(state);
  assert.deepEqual(said.splice(0), [["missed", 1]]);
});
