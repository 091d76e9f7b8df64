// Asks how new the room is. If the page shows something older, it is drawn again: the answer is
// reported, and a run follows. Nobody is told of news, so nothing can be missed.

const OFTEN = 250; // milliseconds between two questions of a window that follows
const SELDOM = 1000; // of one that only shows who is there
const REST = 1000; // while the teacher types, a page is drawn once in this time
const PATIENCE = 4000; // until a page that was to be drawn is asked for again
const CLICK = 250; // milliseconds in which a click's request is on its way alone: of two, it would be lost
const LOST = 5000; // milliseconds without an answer, after which the page says so

let sent = null; // what the page was drawn with
let report = null;
let notice = null;
let timer = 0;
let since = 0; // when the first news came that the page does not show
let last = ""; // the last answer
let asked = 0; // when the page was last asked to draw itself, since it showed all news
let unheard = 0; // when it was first asked
let heard = Date.now(); // when the last answer came
let clicked = 0;

window.addEventListener("click", () => { clicked = Date.now(); }, { capture: true, passive: true });

// The seat from before a reload, which the server may not know yet: see room_seat.js.
function headers(more = {}) {
  try {
    const kept = JSON.parse(sessionStorage.getItem("explorer-room"));
    const seat = kept?.code === sent.code ? kept.seat : sent.headers[sent.seat];
    return { ...sent.headers, [sent.seat]: seat, ...more };
  } catch {
    return { ...sent.headers, ...more }; // no storage is allowed here
  }
}

function wait() {
  clearTimeout(timer);
  timer = setTimeout(ask, (sent.often ? OFTEN : SELDOM) * (0.8 + 0.4 * Math.random()));
}

async function ask() {
  clearTimeout(timer);
  timer = 0;
  if (!notice?.isConnected) { // this window has left its room
    sent = null;
    return;
  }
  try {
    const url = new URL(sent.where, document.baseURI);
    const answer = await fetch(url, {
      headers: headers(), cache: "no-store", signal: AbortSignal.timeout(PATIENCE),
    });
    hear((await answer.json()).version);
  } catch {
    // No answer, or a proxy's: it is asked again.
  }
  const late = unheard && Date.now() - unheard > 2 * PATIENCE;
  notice.textContent = sent.lost;
  notice.hidden = Date.now() - heard < LOST && !late;
  wait();
}

function hear(version) {
  const now = Date.now();
  heard = now;
  if (version === sent.drawn) {
    since = asked = unheard = 0;
  } else {
    since ||= now;
    const rests = version === last || now - since > REST || !sent.often;
    if (rests && now - asked > PATIENCE && now - clicked > CLICK) {
      asked = now;
      unheard ||= now;
      report({ version });
    }
  }
  last = version;
}

// A window that is closed, or goes elsewhere, is no longer counted.
window.addEventListener("pagehide", () => {
  if (!sent) return;
  const gone = headers({ [sent.follows]: "gone" });
  fetch(new URL(sent.where, document.baseURI), { headers: gone, keepalive: true }).catch(() => {});
});

document.addEventListener("visibilitychange", () => {
  if (sent && document.visibilityState === "visible") ask();
});

export default function ({ sent: now, root, report: tell }) {
  if (sent?.drawn !== now.drawn) since = asked = unheard = 0;
  [sent, notice] = [now, root];
  report = (news) => tell("heard", news);
  if (!timer) wait();
}
