// Writes pieces of HTML in the colours of JupyterLab's theme, light or dark. Uses no scripts and no style sheets, so
// that an untrusted notebook shows everything too.
import { visible } from "../visible.ts";

/** JupyterLab's own colours, with fallbacks that are legible on light and dark pages outside of JupyterLab. */
export const COLOR = {
  text: "var(--jp-ui-font-color1, currentColor)",
  quiet: "var(--jp-ui-font-color2, #888)",
  line: "var(--jp-border-color2, #8884)",
  bar: "var(--jp-brand-color1, #2196f3)",
} as const;

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Makes invisible characters visible as well. */
export function escapeHtml(text: string): string {
  return visible(text).replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
