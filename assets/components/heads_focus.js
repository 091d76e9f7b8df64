// Tells the view of the heads which head is in focus. This is separate from the weights, which are
// much larger and are not sent again when only the focus moves.

export default function ({ data: bytes, parentElement }) {
  const element = parentElement.querySelector(".heads-focus");
  const text = new TextDecoder().decode(bytes);
  if (element.dataset.focus === text) return;
  element.dataset.focus = text;
  document.dispatchEvent(new CustomEvent("heads-focus", { detail: JSON.parse(text) }));
}
