// Keeps what a window and its browser know of a room over a reload: the window's seat, the secret of
// a leader, and the pass that proves that this browser was in the room. No address has them.
// Outside of a room, it reports the room that this window was in, or that this browser can lead.

const HOURS = 3600 * 1000;
const MAX_LED = 8;

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

// The rooms that this browser can lead, the newest first.
const readLed = () => {
  const led = read(ofBrowser, "explorer-led");
  return Array.isArray(led) ? led.filter((room) => Date.now() - room?.at < 12 * HOURS) : [];
};
const writeLed = (led) => write(ofBrowser, "explorer-led", led.length && led.slice(0, MAX_LED));

export default function ({ sent, root, report }) {
  const say = (kept) => {
    const said = JSON.stringify([sent.session, kept]); // a server that has taken over does not know
    if (root.said === said) return;
    root.said = said;
    report("kept", kept);
  };
  const last = read(ofWindow, "explorer-room");
  const led = readLed();
  if (!sent.code) {
    const open = led.filter((room) => !sent.closed.includes(room.code));
    if (open.length < led.length) writeLed(open);
    const left = [...sent.left, ...sent.closed];
    if (last && left.includes(last.code)) write(ofWindow, "explorer-room", null);
    else if (last) say(last);
    else if (open.length && !left.includes(open[0].code)) say({ ...open[0], seat: "" });
    return;
  }
  const mine = last?.code === sent.code ? last : null;
  const known = led.find((room) => room.code === sent.code);
  const kept = {
    code: sent.code,
    seat: mine?.seat ?? sent.seat,
    secret: sent.secret || mine?.secret || known?.secret || "",
    alone: sent.roleUnknown ? (mine?.alone ?? false) : sent.alone,
  };
  write(ofWindow, "explorer-room", kept);
  if (kept.secret && known?.secret !== kept.secret) {
    const others = led.filter((room) => room.code !== sent.code);
    writeLed([{ code: sent.code, secret: kept.secret, at: Date.now() }, ...others]);
  }
  const secure = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `explorer-room-${sent.code}=${sent.pass}; path=/; max-age=14400; samesite=lax${secure}`;
  if (kept.seat !== sent.seat || kept.secret !== sent.secret || sent.roleUnknown) say(kept);
}
