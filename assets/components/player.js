// Plays steps: asks for the next one a moment after the last has been drawn, until somebody else
// chooses a step, or the last one is there.

const BEAT = 800; // milliseconds

let player = null; // the one on show
let playing = false;
let asked = 0; // the step that was asked for last
let timer = 0;

function ask(step) {
  asked = step;
  player.report("step", step);
}

function go(on) {
  playing = on;
  clearTimeout(timer);
  player.name();
}

window.addEventListener("run-ends", () => {
  if (!playing) return;
  clearTimeout(timer);
  if (!player.button.isConnected || player.at !== asked) go(false);
  else if (player.at === player.count) go(false);
  else timer = setTimeout(() => ask(player.at + 1), BEAT);
});

export default function ({ sent: { at, count, plays, play, pause }, root: button, report }) {
  const name = () => {
    button.textContent = playing ? pause : play;
    button.classList.toggle("playing", playing);
  };
  if (player?.button !== button) [playing, asked] = [plays, at];
  player = { at, count, button, report, name };
  button.onclick = () => {
    go(!playing);
    if (playing) ask(at === count ? 1 : at + 1);
  };
  name();
}
