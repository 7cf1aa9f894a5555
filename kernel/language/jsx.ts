// Declares the types of JSX for notebooks whose tsconfig says nothing about it: those of hono/jsx, which renders the
// elements to HTML. The session defines the functions; this file compiles to an empty module and is only for the
// checker.
import type { Child, JSX as Hono, JSXNode } from "hono/jsx";

/** The tags of HTML by name, each with its attributes: hono itself accepts any name. */
type HtmlElements = {
  [
    Tag in keyof Hono.IntrinsicElements as string extends Tag ? never : number extends Tag ? never : Tag
  ]: Hono.IntrinsicElements[Tag] & { readonly children?: Children };
};

/** What an element may hold. It cannot hold a tensor: `item()` reads a tensor's number. */
type Children = Child | bigint | Promise<Child> | readonly Children[];

type Attributes = HtmlElements["span"];

type SvgTag =
  | "animate"
  | "animateMotion"
  | "animateTransform"
  | "circle"
  | "clipPath"
  | "defs"
  | "desc"
  | "ellipse"
  | "filter"
  | "foreignObject"
  | "g"
  | "image"
  | "line"
  | "linearGradient"
  | "marker"
  | "mask"
  | "path"
  | "pattern"
  | "polygon"
  | "polyline"
  | "radialGradient"
  | "rect"
  | "set"
  | "stop"
  | "svg"
  | "switch"
  | "symbol"
  | "text"
  | "textPath"
  | "tspan"
  | "use"
  | "view";

type SvgElements = { [Tag in SvgTag]: Attributes };

declare global {
  namespace JSX {
    /** `<b>hi</b>`: shown as HTML if it is a cell's last value. `String(element)` is its HTML as text. */
    interface Element extends JSXNode {}

    type ElementType = string | ((props: never) => Child | Promise<Child>);

    interface ElementChildrenAttribute {
      readonly children: unknown;
    }

    interface IntrinsicAttributes {
      readonly key?: string | number | bigint | null | undefined;
    }

    interface IntrinsicElements extends HtmlElements, SvgElements {
      /** A custom element, such as `<my-chart>`. */
      [tag: `${string}-${string}`]: Attributes;
    }
  }
}
