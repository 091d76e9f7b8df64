// All that a run draws has been sent. A part that ticks says which run was the last: if a run that was
// followed at once by a tick has not arrived as a whole, everything is asked for again.

let seen = { session: null, run: 0 };

export default function ({ data, report }) {
  const { seqs, ...now } = JSON.parse(new TextDecoder().decode(data));
  if (now.session !== seen.session) seen = { session: now.session, run: 0 };
  if (seqs) {
    seen.run = now.run;
    window.dispatchEvent(new CustomEvent("run-ends", { detail: { seqs } }));
  } else if (now.run > seen.run) {
    report("missed", now.run);
  }
}
