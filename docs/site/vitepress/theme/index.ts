// The look of the site: VitePress's default theme with the reader's own fonts, so that a page loads none.
import DefaultTheme from "vitepress/theme-without-fonts";
import "./style.css";

export default DefaultTheme;
