// Keeps a window's seat in a room over a reload, in its own storage; and a random name of the
// browser, so that one person's second answer replaces the first.

const read = (storage, name) => {
  try {
    return JSON.parse(storage.getItem(name));
  } catch {
    return null; // no storage is allowed here, or it holds something else
  }
};
const write = (storage, name, value) => {
  try {
    storage.setItem(name, JSON.stringify(value));
  } catch {
    // Then a reload makes another seat of it.
  }
};

export default function ({ data, parentElement, setStateValue }) {
  const sent = JSON.parse(new TextDecoder().decode(data));
  const before = read(sessionStorage, "explorer-room");
  const mine = before?.code === sent.code ? before : null;
  const kept = {
    code: sent.code,
    seat: mine?.seat ?? sent.seat,
    person: read(localStorage, "explorer-person") ?? sent.person,
    secret: sent.secret || mine?.secret || "",
  };
  write(sessionStorage, "explorer-room", kept);
  write(localStorage, "explorer-person", kept.person);
  const known = ["seat", "person", "secret"].every((name) => kept[name] === sent[name]);
  const root = parentElement.querySelector(".room-seat");
  if ((!known || sent.unsure) && root.said !== JSON.stringify(kept)) {
    root.said = JSON.stringify(kept);
    // A state goes with every request from now on. A trigger goes with one, which another may end.
    setStateValue("kept", kept);
  }
}
