// Keeps one choice of light or dark for the whole site: TypeDoc's pages and VitePress's store it under different names.
const VITEPRESS = "vitepress-theme-appearance";
const TYPEDOC = "tsd-theme";

const kept = localStorage.getItem(VITEPRESS);
if (kept !== null) {
  const theme = kept === "auto" ? "os" : kept;
  localStorage.setItem(TYPEDOC, theme);
  document.documentElement.dataset.theme = theme;
}

addEventListener("change", ({ target }) => {
  if (target.id === TYPEDOC) localStorage.setItem(VITEPRESS, target.value === "os" ? "auto" : target.value);
});
