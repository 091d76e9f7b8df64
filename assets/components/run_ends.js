// All that a run draws has been sent. The pictures that it changes, change together now: nobody sees the
// heads of one sentence beside the scores of another.
//
// A part that ticks says which run was the last: if a run that was followed at once by a tick has not
// arrived as a whole, everything is asked for again. So it is when a lost connection is there again: it
// may be to another server, which has no session yet, and would not know what is clicked.

import { explain } from "./explanations.js";

const PATIENCE = 300; // milliseconds: pictures that take longer come one by one

let seen = { session: null, run: 0 };
let waiting = []; // pictures, as functions that draw them
let timer = 0;
let missed = null;

function drawAll() {
  clearTimeout(timer);
  for (const draw of waiting.splice(0)) {
    try {
      draw();
    } catch (error) { // the others are drawn all the same
      reportError(error);
    }
  }
}

window.addEventListener("picture", ({ detail: draw }) => {
  if (!waiting.length) timer = setTimeout(drawAll, PATIENCE);
  waiting.push(draw);
});

function followConnection() {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return;
  let isLost = false;
  new MutationObserver(() => {
    const isConnected = app.dataset.testConnectionState === "CONNECTED";
    if (isConnected && isLost) missed();
    isLost = !isConnected;
  }).observe(app, { attributeFilter: ["data-test-connection-state"] });
}

export default function ({ sent, root, report }) {
  drawAll();
  if (!missed) followConnection();
  missed = () => report("missed", seen.run);
  const { seqs, words, ...now } = sent;
  if (words) explain(words, root, report);
  if (now.session !== seen.session) seen = { session: now.session, run: 0 };
  if (seqs) {
    seen.run = now.run;
    window.dispatchEvent(new CustomEvent("run-ends", { detail: { seqs } }));
  } else if (now.run > seen.run) {
    missed();
  }
}
