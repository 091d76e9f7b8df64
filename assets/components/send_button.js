// Sends an answer, by a click or by Enter in a field of the page. Until a run has taken it, the button
// says so; a server that has taken over in the meantime is told once more.

let press = () => {};

// Streamlit's field hears the key first, and sends what it holds.
window.addEventListener("keydown", ({ key, isComposing, target }) => {
  if (key === "Enter" && !isComposing && target.matches?.('.st-key-page input[type="text"]')) press();
});

export default function ({ sent: { session, taken, label, sending, done }, root: button, report }) {
  const send = () => {
    button.isWaiting = true;
    button.textContent = sending;
    report("sent", true);
  };
  press = () => button.isConnected && send();
  button.onclick = send;
  button.classList.toggle("done", done);
  if (button.isWaiting && session !== button.session) send();
  else if (!button.isWaiting || taken !== button.taken) {
    button.isWaiting = false;
    button.textContent = label;
  }
  Object.assign(button, { session, taken });
}
