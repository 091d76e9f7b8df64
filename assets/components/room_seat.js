// Keeps what a window and its browser know of a room over a reload: the window's seat, the secret of
// a leader, and the pass that proves that this browser was in the room. No address has them.
// Outside of a room, it reports the room that this window was in, or that this browser can lead.

const LED = 12 * 3600 * 1000; // milliseconds for which the browser can lead a room again

const read = (storage, name) => {
  try {
    return JSON.parse(storage().getItem(name));
  } catch {
    return null; // no storage is allowed here, or it holds something else
  }
};
const write = (storage, name, value) => {
  try {
    if (value) storage().setItem(name, JSON.stringify(value));
    else storage().removeItem(name);
  } catch {
    // Then a reload makes another seat of it.
  }
};
const ofWindow = () => sessionStorage;
const ofBrowser = () => localStorage;

export default function ({ sent, root, report }) {
  const say = (kept) => {
    const said = JSON.stringify([sent.session, kept]); // a server that has taken over does not know
    if (root.said === said) return;
    root.said = said;
    report("kept", kept);
  };
  const last = read(ofWindow, "explorer-room");
  const newest = read(ofBrowser, "explorer-led"); // of the rooms that this browser has led
  const led = Date.now() - newest?.at < LED ? newest : null;
  if (newest && !led) write(ofBrowser, "explorer-led", null);
  if (!sent.code) {
    const left = [...sent.left, ...sent.closed];
    if (sent.closed.includes(led?.code)) write(ofBrowser, "explorer-led", null);
    if (last && left.includes(last.code)) write(ofWindow, "explorer-room", null);
    else if (last) say(last);
    else if (led && !left.includes(led.code)) say({ ...led, seat: "" });
    return;
  }
  const mine = last?.code === sent.code ? last : null;
  const known = led?.code === sent.code ? led : null;
  const kept = {
    code: sent.code,
    seat: mine?.seat ?? sent.seat,
    secret: sent.secret || mine?.secret || known?.secret || "",
    alone: sent.roleUnknown ? (mine?.alone ?? false) : sent.alone,
  };
  write(ofWindow, "explorer-room", kept);
  if (kept.secret && known?.secret !== kept.secret) {
    write(ofBrowser, "explorer-led", { code: sent.code, secret: kept.secret, at: Date.now() });
  }
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `explorer-room-${sent.code}=${sent.pass}; path=/; max-age=14400; samesite=lax${secure}`;
  if (kept.seat !== sent.seat || kept.secret !== sent.secret || sent.roleUnknown) say(kept);
}
