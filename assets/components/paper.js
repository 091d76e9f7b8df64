// A page on paper: as it stands on the screen, made smaller if the paper is narrower; a dark page is
// inverted, so that it is dark on white.

const PAPER = 960; // CSS pixels between the margins of a sheet in landscape format, A4 or Letter

window.addEventListener("beforeprint", () => {
  const page = document.querySelector(".stMainBlockContainer");
  const app = document.querySelector('[data-testid="stApp"]');
  if (!page || !app) return; // it is printed as it is
  const channels = getComputedStyle(app).backgroundColor.match(/\d+/g).map(Number);
  const { classList, style } = document.documentElement;
  classList.toggle("from-dark", channels[0] + channels[1] + channels[2] < 380);
  const wide = page.clientWidth > PAPER;
  style.setProperty("--screen", wide ? `${page.clientWidth}px` : "auto");
  style.setProperty("--onto-paper", wide ? PAPER / page.clientWidth : 1);
});
