// Tells the heads on the page which of them is in focus. Apart from their weights, which are much
// larger and need not travel again when only the focus moves.

export default function ({ data: bytes, parentElement }) {
  const element = parentElement.querySelector(".heads-focus");
  const text = new TextDecoder().decode(bytes);
  if (element.dataset.focus === text) return;
  element.dataset.focus = text;
  document.dispatchEvent(new CustomEvent("heads-focus", { detail: JSON.parse(text) }));
}
