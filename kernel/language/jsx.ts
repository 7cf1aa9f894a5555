// Declares the types of JSX for notebooks whose tsconfig says nothing about it: those of hono/jsx, which renders the
// elements to HTML. The session defines the functions; this file compiles to an empty module and serves the checker
// alone.
import type { Child, JSX as Hono, JSXNode } from "hono/jsx";

/** The tags of HTML by name, each with its attributes: hono takes any other name as well. */
type HtmlElements = {
  [
    Tag in keyof Hono.IntrinsicElements as string extends Tag ? never : number extends Tag ? never : Tag
  ]: Hono.IntrinsicElements[Tag] & { readonly children?: Children };
};

/** What an element may hold. A tensor is none of it: `item()` reads its number. */
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
    /** `<b>hi</b>`: shown as HTML where a cell ends with it, and its text by `String(element)`. */
    interface Element extends JSXNode {}

    type ElementType = string | ((props: never) => Child | Promise<Child>);

    interface ElementChildrenAttribute {
      readonly children: unknown;
    }

    interface IntrinsicAttributes {
      readonly key?: string | number | bigint | null | undefined;
    }

    interface IntrinsicElements extends HtmlElements, SvgElements {
      /** A custom element, as `<my-chart>`. */
      [tag: `${string}-${string}`]: Attributes;
    }
  }
}
