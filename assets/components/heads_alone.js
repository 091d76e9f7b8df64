// Shows the heads view where no page sets its focus: in a file of its own, or in a notebook.
// `drawHeads` is the function that heads.js exports.

function showHeads(place, { bytes, focus, text, line, background }) {
  const root = document.createElement("div");
  root.innerHTML = '<div class="heads"><div class="model-view"></div>'
    + '<p class="cell-in-words" aria-live="polite"></p><div class="head-view"><h3></h3>'
    + '<span class="head-toggles" role="group"></span>'
    + '<div class="scroll"><div class="columns"><div class="tokens queries"></div>'
    + '<div><canvas class="lines" aria-hidden="true"></canvas></div>'
    + '<div class="tokens keys"></div></div></div></div></div>';
  root.style.setProperty("--st-text-color", text);
  root.style.setProperty("--st-border-color", line);
  root.style.setProperty("--st-background-color", background);
  root.style.setProperty("--st-primary-color", text);
  root.style.setProperty("--st-font", "inherit");
  place.append(root);
  const data = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
  drawHeads({ data, parentElement: root, report: () => {} });
  root.firstChild.heads.setFocus(focus);
}
