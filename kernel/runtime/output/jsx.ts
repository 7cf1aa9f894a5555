// Makes elements of JSX and shows them as HTML. hono/jsx escapes text and renders; it is loaded by the first element.
// Elements of React and Preact, which a folder's tsconfig may choose, are rendered by the packages beside the notebook.
import { createRequire } from "node:module";
import { inspect, types } from "node:util";
import type * as Hono from "hono/jsx";
import { DISPLAY } from "../../../lib/display.ts";
import { RUNTIME } from "../../cell/names.ts";
import type { MimeBundle } from "../../session/channel.ts";
import { classOf, isTensor } from "../../tensor_like.ts";

const require = createRequire(import.meta.url);
let loaded: typeof Hono | undefined;
/** The prototype from which the classes of all elements inherit, those of components and fragments too. */
let prototype: object | undefined;

let loadFromFolder: (specifier: string) => unknown = require;

/**
 * Defines the functions that compiled elements call.
 *
 * @param load loads a package from the notebook's folder, in the form that a cell's import would load
 */
export function installJsx(load: (specifier: string) => unknown): void {
  loadFromFolder = load;
  Object.defineProperty(globalThis, RUNTIME.jsx, { value: element, configurable: true });
  Object.defineProperty(globalThis, RUNTIME.jsxFragment, { get: () => hono().Fragment, configurable: true });
}

type Jsx = typeof Hono.jsx;

/** @throws TypeError for a child that hono would silently leave out */
function element(tag: Parameters<Jsx>[0], props: Parameters<Jsx>[1], ...children: unknown[]): Hono.JSXNode {
  const { jsx } = hono();
  const name = typeof tag === "string" ? tag : tag.name;
  if (/^[a-z]/.test(name)) refuseScripts(name, props);
  return jsx(tag, props, ...children.map((child) => readChild(child, name)));
}

/** Attributes that hold an address, by React's list. */
const ADDRESSES: ReadonlySet<string> = new Set("href src action formaction xlinkhref xlink:href".split(" "));
/** Browsers ignore leading white space and control characters, and line ends and tabs anywhere. */
// oxlint-disable-next-line no-control-regex
const SCRIPT = /^[\u0000-\u0020]*javascript:/i;

/** @throws TypeError for an address that would run as a script, as React does: the text may come from anybody */
function refuseScripts(tag: string, props: Parameters<Jsx>[1]): void {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (!ADDRESSES.has(name.toLowerCase()) || value === null) continue;
    if (SCRIPT.test(String(value).replaceAll(/[\t\r\n]/g, "")))
      throw new TypeError(
        `<${tag}>: ${name} would run as a script, got ${JSON.stringify(String(value).slice(0, 60))}; give it an address that begins with https: or #.`,
      );
  }
}

function readChild(child: unknown, tag: string): Hono.Child {
  if (typeof child === "bigint") return String(child);
  if (Array.isArray(child)) return child.map((each) => readChild(each, tag));
  // A component may take any child; an HTML element takes text, other elements, or nothing.
  const isShown = typeof child !== "object" || child === null || isElement(child) || "then" in child;
  // Hono marks text that is already escaped by wrapping it in a String object.
  if (isShown || types.isStringObject(child) || !/^[a-z]/.test(tag)) return child as Hono.Child;
  const instead = isTensor(child)
    ? "x.item() for the number of a tensor, x.tolist() for several"
    : "its text";
  throw new TypeError(
    `<${tag}>: an element holds text, numbers and elements, not ${classOf(child)}; write ${instead}.`,
  );
}

function isElement(value: object): boolean {
  return prototype !== undefined && Object.prototype.isPrototypeOf.call(prototype, value);
}

function hono(): typeof Hono {
  if (loaded !== undefined) return loaded;
  loaded = require("hono/jsx") as typeof Hono;
  prototype = Object.getPrototypeOf(loaded.jsx("b", null)) as object;
  const hidden = { configurable: true, writable: true };
  Object.defineProperty(prototype, DISPLAY, { ...hidden, value: show });
  Object.defineProperty(prototype, inspect.custom, { ...hidden, value: describe });
  return loaded;
}

/** A component may be asynchronous; then so is the element's text. */
function show(this: Hono.JSXNode): MimeBundle | Promise<MimeBundle> {
  const html = this.toString();
  return typeof html === "string" ? bundle(html) : html.then((text) => bundle(String(text)));
}

function bundle(html: string): MimeBundle {
  return { "text/html": html, "text/plain": html };
}

function describe(this: Hono.JSXNode): string {
  const html = this.toString();
  return typeof html === "string" ? html : "[element of an asynchronous component]";
}

/** `Symbol.for("react.element")` is React's until version 18, the other one from 19 on. */
const REACT_ELEMENTS: ReadonlySet<unknown> = new Set([
  Symbol.for("react.element"),
  Symbol.for("react.transitional.element"),
]);

/** Fields by which Preact's elements are recognized. Preact's build always shortens its private names to these. */
const PREACT_FIELDS = ["constructor", "type", "props", "key", "__k", "__v"];

/** Null if the value is no element of React or Preact, or if its renderer is not installed. */
export function jsxBundle(value: unknown): MimeBundle | null {
  const html = htmlOf(value);
  return html === null ? null : bundle(html);
}

function htmlOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return null;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value;
  try {
    if (REACT_ELEMENTS.has(field("$$typeof"))) {
      const { renderToStaticMarkup } = loadFromFolder("react-dom/server") as Renderer;
      return renderToStaticMarkup(value);
    }
    if (!PREACT_FIELDS.every((name) => Object.hasOwn(value, name))) return null;
    return (loadFromFolder("preact-render-to-string") as Renderer).renderToStaticMarkup(value);
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === "ERR_MODULE_NOT_FOUND") return null;
    throw error;
  }
}

interface Renderer {
  renderToStaticMarkup(element: unknown): string;
}
