import assert from "node:assert/strict";
import test, { mock } from "node:test";

mock.timers.enable({ apis: ["Date", "setTimeout"], now: 1_000_000 });
globalThis.document = { baseURI: "https://explorer.example/base/masks", addEventListener() {} };
globalThis.window = { addEventListener(name, act) { this[name] = act; } };
globalThis.sessionStorage = { getItem: () => JSON.stringify({ code: "ABC", seat: "kept" }) };
const asked = [];
let answer = () => ({});
globalThis.fetch = async (url, { headers }) => {
  asked.push({ url: String(url), ...headers });
  return answer();
};
const { default: draw } = await import("../../assets/components/room_news.js");

const notice = { isConnected: true, hidden: true };
const said = [];
const drawn = (version, often = true) => draw({
  sent: {
    where: "room-news", code: "ABC", seat: "x-seat", follows: "x-follows",
    headers: { "x-seat": "given", "x-follows": "yes" }, drawn: version, often, lost: "lost",
  },
  root: notice,
  report: (_, value) => said.push(value),
});
const says = (version) => { answer = () => ({ json: async () => ({ version }) }); };
// So many questions: each waits at most 300 ms for the next.
async function pass(questions, pause = 300) {
  for (let number = 0; number < questions; number++) {
    mock.timers.tick(pause);
    for (let step = 0; step < 8; step++) await Promise.resolve();
  }
}

test("it asks with the seat from before a reload, beside the pages, and says only what is new", async () => {
  says("1");
  drawn("1");
  await pass(3);
  assert.equal(asked[0].url, "https://explorer.example/base/room-news");
  assert.equal(asked[0]["x-seat"], "kept");
  assert.deepEqual(said, []);
});

test("news are told once they rest, and again only if the page is not drawn", async () => {
  says("2");
  await pass(1);
  assert.deepEqual(said, []); // the teacher may still be typing
  await pass(1);
  assert.equal(said.length, 1);
  assert.equal(said[0].version, "2");
  await pass(3);
  assert.equal(said.length, 1);
  await pass(14);
  assert.equal(said.length, 2); // its run was lost
  drawn("2");
  await pass(3);
  assert.equal(said.splice(0).length, 2);
});

test("while the teacher types, the page is drawn about once a second", async () => {
  for (let number = 3; number < 9; number++) {
    says(String(number));
    await pass(1);
  }
  assert.equal(said.splice(0).length, 1);
  drawn("8");
});

test("the request of a click goes alone", async () => {
  says("9");
  await pass(1);
  window.click();
  await pass(1, 240);
  assert.deepEqual(said, []);
  await pass(1);
  assert.equal(said.splice(0).length, 1);
  drawn("9");
});

test("a lost line is said after five seconds, until there is an answer", async () => {
  answer = () => { throw new Error("offline"); };
  await pass(10);
  assert.equal(notice.hidden, true);
  await pass(10);
  assert.equal(notice.hidden, false);
  says("9");
  await pass(1);
  assert.equal(notice.hidden, true);
});

test("a window that is closed says so", () => {
  window.pagehide();
  assert.equal(asked.at(-1)["x-follows"], "gone");
});
