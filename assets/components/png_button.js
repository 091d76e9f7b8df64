// A button that saves a picture as PNG, in twice its size. The browser draws it from an SVG, because it
// has letters of every language; a server may not.

import { make } from "./texts.js";

async function png(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => { canvas.toBlob(resolve); });
}

export default async function ({ sent: { label, name, file, svg, number }, root: button, report }) {
  button.textContent = label;
  button.setAttribute("aria-label", name);
  button.onclick = () => report("asked", true);
  if (!svg || button.saved === number) return;
  button.saved = number;
  const link = make("a", { href: URL.createObjectURL(await png(svg)), download: file });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
