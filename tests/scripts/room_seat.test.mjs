import assert from "node:assert/strict";
import test, { mock } from "node:test";

const HOUR = 3600 * 1000;
const NOW = 100 * HOUR;
mock.timers.enable({ apis: ["Date"], now: NOW });
const put = (name, get) => Object.defineProperty(globalThis, name, { get, configurable: true });
globalThis.document = {};
put("location", () => ({ protocol: "https:" }));
const { default: draw } = await import("../../assets/components/room_seat.js");

function storage(kept) {
  return { getItem: (name) => kept[name] ?? null, setItem(name, text) { kept[name] = text; }, removeItem(name) { delete kept[name]; } };
}

// A browser that has kept this. It tells what it says to a server, and what it keeps then.
function browser({ room, led, texts = {} } = {}) {
  const kept = { ...texts };
  if (room) kept["explorer-room"] = JSON.stringify(room);
  if (led) kept["explorer-led"] = JSON.stringify(led);
  for (const name of ["sessionStorage", "localStorage"]) put(name, () => storage(kept));
  const root = {};
  return {
    hears(sent) {
      const said = [];
      const data = { left: [], closed: [], seat: "new", secret: "", alone: false, ...sent };
      draw({ sent: data, root, report: (_, value) => said.push(value) });
      return said[0];
    },
    room: () => JSON.parse(kept["explorer-room"] ?? null),
    led: () => JSON.parse(kept["explorer-led"] ?? null),
  };
}
const led = (code, hours = 1) => ({ code, secret: `of ${code}`, at: NOW - hours * HOUR });
const MINE = { code: "ABC", seat: "old", secret: "s", alone: false };

test("a new window takes the seat that it is given; the pass goes to our own pages only", () => {
  const own = browser();
  assert.equal(own.hears({ code: "ABC", pass: "p" }), undefined);
  assert.deepEqual(own.room(), { code: "ABC", seat: "new", secret: "", alone: false });
  assert.match(document.cookie, /^explorer-room-ABC=p; .*samesite=lax; secure$/);
});

test("after a reload it says once which seat it had, but not that of another room", () => {
  const own = browser({ room: MINE });
  assert.deepEqual(own.hears({ code: "ABC" }), MINE);
  assert.equal(own.hears({ code: "ABC" }), undefined);
  assert.deepEqual(browser({ room: MINE }).hears({ code: "ABC", secret: "s" }), MINE);
  assert.equal(browser({ room: MINE }).hears({ code: "XYZ" }), undefined);
});

test("whoever explored alone still does after a reload", () => {
  const own = browser();
  own.hears({ code: "ABC", alone: true });
  assert.equal(own.hears({ code: "ABC", roleUnknown: true }).alone, true);
  own.hears({ code: "ABC" });
  assert.equal(own.room().alone, false);
});

test("all windows of a browser may lead the room that it has led last", () => {
  const own = browser({ led: led("8") });
  assert.deepEqual(own.hears({ code: "8" }), { code: "8", seat: "new", secret: "of 8", alone: false });
  own.hears({ code: "9", secret: "of 9" });
  assert.deepEqual(own.led(), led("9", 0));
  assert.equal(own.hears({ code: "8" }), undefined);
});

test("in no room it offers the window's own, else one that it led in the last half of a day", () => {
  assert.deepEqual(browser({ room: MINE, led: led("NEW") }).hears({ code: "" }), MINE);
  assert.deepEqual(browser({ led: led("NEW") }).hears({ code: "" }), { ...led("NEW"), seat: "" });
  assert.equal(browser({ led: led("NEW", 13) }).hears({ code: "" }), undefined);
});

test("a room that was left is not offered, though it can be led again; one that is closed is forgotten", () => {
  const left = browser({ room: MINE, led: led("ABC") });
  for (let time = 0; time < 2; time++) assert.equal(left.hears({ code: "", left: ["ABC"] }), undefined);
  assert.equal(left.room(), null);
  assert.deepEqual(left.led(), led("ABC"));
  const closed = browser({ led: led("ABC") });
  assert.equal(closed.hears({ code: "", closed: ["ABC"] }), undefined);
  assert.equal(closed.led(), null);
});

test("a browser that keeps nothing, or nonsense, has a seat, too", () => {
  const own = browser({ texts: { "explorer-room": "{", "explorer-led": '{"a": 1}' } });
  assert.equal(own.hears({ code: "ABC" }), undefined);
  assert.equal(own.room().seat, "new");
  put("sessionStorage", () => { throw new Error("denied"); });
  assert.deepEqual(own.hears({ code: "ABC", secret: "s", roleUnknown: true }), { code: "ABC", seat: "new", secret: "s", alone: false });
});
