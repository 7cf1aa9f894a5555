// Implements `import * as tslab from "tslab"` in a cell: tslab's display functions over this session's outputs, with its
// types. The package itself is not installed for users: its own compiler is a sixth of what npm would bring.
import { randomBytes } from "node:crypto";
import { checkedBundle, showBundle } from "../output/display.ts";

/** Shows text or bytes of one kind. */
export interface Display {
  javascript(text: string): void;
  html(text: string): void;
  markdown(text: string): void;
  latex(text: string): void;
  svg(text: string): void;
  png(bytes: Uint8Array): void;
  jpeg(bytes: Uint8Array): void;
  gif(bytes: Uint8Array): void;
  pdf(bytes: Uint8Array): void;
  text(text: string): void;
  raw(contentType: string, content: string | Uint8Array): void;
}

const MIME_TYPES = {
  javascript: "text/javascript",
  html: "text/html",
  markdown: "text/markdown",
  latex: "text/latex",
  svg: "image/svg+xml",
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  pdf: "application/pdf",
  text: "text/plain",
} as const;

/**
 * @param displayId the first call shows something under this id, and later calls replace it; if null, each call shows
 * something new
 */
function createDisplay(displayId: string | null): Display {
  let shown = false;
  const raw = (type: string, content: string | Uint8Array): void => {
    showBundle(checkedBundle({ [type]: content }), displayId === null ? {} : { displayId, update: shown });
    shown = true;
  };
  const kinds = Object.entries(MIME_TYPES).map(([name, type]) => [
    name,
    (content: string | Uint8Array) => raw(type, content),
  ]);
  return { ...(Object.fromEntries(kinds) as Omit<Display, "raw">), raw };
}

/** Each call shows something new under the cell. */
export const display: Display = createDisplay(null);

/** The first call shows something under the cell; later calls replace it. */
export function newDisplay(): Display {
  return createDisplay(randomBytes(8).toString("hex"));
}

/**
 * The versions of the tslab that provides these functions, as its notebooks print them. This kernel checks cells with a
 * newer TypeScript.
 */
export const versions: Readonly<Record<"tslab" | "typescript" | "node", string>> = {
  tslab: "1.0.22",
  typescript: "5.0.4",
  node: process.version,
};
