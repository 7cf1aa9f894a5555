// Shows a DOM element, as made by linkedom, jsdom or happy-dom, for example with a chart of Observable Plot. As HTML,
// an element and also an SVG use the theme's text colour. An SVG is given as a picture too, for viewers that show no
// HTML.
import { types } from "node:util";
import type { MimeBundle } from "../../session/channel.ts";
import { isObject } from "../objects.ts";

/** The members of an element that are used here: every DOM for Node has them. */
interface ElementLike {
  readonly outerHTML: string;
  readonly localName: string;
  readonly textContent?: string | null;
  getAttribute(name: string): string | null;
  readonly ownerDocument?: {
    readonly defaultView?: { readonly XMLSerializer?: SerializerClass } | null;
  } | null;
}

type SerializerClass = new () => { serializeToString(element: unknown): string };

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const MAX_TEXT = 300;

/** Null if the value is no element. */
export function elementBundle(value: unknown): MimeBundle | null {
  if (!isElement(value)) return null;
  const html = value.outerHTML;
  const isSvg = value.localName.toLowerCase() === "svg";
  return {
    "text/html": html,
    ...(isSvg ? { "image/svg+xml": withNamespaces(serialized(value)) } : {}),
    "text/plain": summaryOf(value),
  };
}

function isElement(value: unknown): value is ElementLike {
  // Looking at a proxy would run its traps.
  if (!isObject(value) || types.isProxy(value) || !("outerHTML" in value)) return false;
  const { outerHTML, localName, getAttribute } = value as Partial<ElementLike>;
  return typeof outerHTML === "string" && typeof localName === "string" && typeof getAttribute === "function";
}

/** The element as XML: HTML's own text may have entities and unclosed tags that XML does not allow. */
function serialized(element: ElementLike): string {
  const Serializer = element.ownerDocument?.defaultView?.XMLSerializer;
  if (typeof Serializer === "function") return new Serializer().serializeToString(element);
  return element.outerHTML.replaceAll("&nbsp;", "&#160;");
}

/** Adds the namespaces, without which a browser takes the file for XML of an unknown kind. */
function withNamespaces(svg: string): string {
  const [open = ""] = /^<svg[^>]*/i.exec(svg) ?? [];
  const missing = [
    ...(/\sxmlns=/.test(open) ? [] : [` xmlns="${SVG}"`]),
    ...(/\sxlink:/.test(svg) && !/\sxmlns:xlink=/.test(open) ? [` xmlns:xlink="${XLINK}"`] : []),
  ];
  return svg.replace(/^<svg/i, (tag) => tag + missing.join(""));
}

/** `<svg> 640 × 400: Sales by month`; for other elements their text. */
function summaryOf(element: ElementLike): string {
  const name = element.localName.toLowerCase();
  const [width, height] = [element.getAttribute("width"), element.getAttribute("height")];
  const size = width !== null && height !== null ? ` ${width} × ${height}` : "";
  const words = (element.getAttribute("aria-label") ?? element.textContent ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const text = words.length > MAX_TEXT ? `${words.slice(0, MAX_TEXT)}…` : words;
  return `<${name}>${size}${text === "" ? "" : `: ${text}`}`;
}
