// Tells the view of the heads which head is in focus. This is separate from the weights, which are
// much larger and are not sent again when only the focus moves.

export default function ({ sent: focus, isNew, root }) {
  if (!isNew) return;
  root.said = focus;
  document.dispatchEvent(new CustomEvent("heads-focus", { detail: focus }));
}
