// Decides whether a text is TypeScript with JSX. No cell changes its meaning for it: what is TypeScript stays
// TypeScript, where `<T>x` is a cast and `<T>(x: T) => x` a function. A text that is none, and is valid with JSX, has JSX.
import type { ParseResult, Program } from "oxc-parser";
import { deepest, DEEPEST } from "./depth.ts";
import { parseSync } from "./oxc.ts";
import { walk } from "./walk.ts";

/** Every element has one of them: `</b>`, `<br/>`. */
const CLOSES_TAG = /<\/|\/>/;
/** A tag that is still being written has not. */
const OPENS_TAG = /<[\p{ID_Start}$_>]/u;

/** Where an element opens, unless it is a type argument, and where one closes. */
const TAG = /(?<![\p{ID_Continue}$)\]])<(?=[\p{ID_Start}$_>])|<\/|\/>/gu;

/** Tokens by which the parser nests deeper at the least for each tag that stays open. */
const TOKENS_OF_TAG = 3;

interface Parsed {
  readonly result: ParseResult;
  readonly isJsx: boolean;
}

/** Parses the text as what it is. Where it is neither, the result of the two that comes farther. */
export function parseEither(text: string): Parsed {
  const plain = parseAs("ts", text);
  if (!CLOSES_TAG.test(text)) return plain;
  return better(text, plain);
}

export function isJsx(text: string): boolean {
  return CLOSES_TAG.test(text) && parseEither(text).isJsx;
}

/** The same of a text that is being written: `<ul cla`. */
export function isJsxDraft(text: string): boolean {
  return OPENS_TAG.test(text) && better(text, parseAs("ts", text)).isJsx;
}

function parseAs(lang: "ts" | "tsx", text: string): Parsed {
  return { result: parseSync("cell.ts", text, { lang, sourceType: "module" }), isJsx: lang === "tsx" };
}

function better(text: string, plain: Parsed): Parsed {
  const isTypeScript = plain.result.errors.length === 0;
  if (isTypeScript && !comparesWithTag(plain.result.program)) return plain;
  if (nestsTooDeeplyWithJsx(text)) return plain;
  const jsx = parseAs("tsx", text);
  const isValid = jsx.result.errors.length === 0;
  if (isTypeScript || isValid) return isValid ? jsx : plain;
  return firstProblem(jsx) > firstProblem(plain) ? jsx : plain;
}

function firstProblem({ result }: Parsed): number {
  return Math.max(0, ...(result.errors[0]?.labels ?? []).map(({ start }) => start));
}

/** `<p>{x}</p>; // shown` is also the comparison of an object that is cast with a regular expression, divided. */
function comparesWithTag(program: Program): boolean {
  let found = false;
  walk(program, (node) => {
    if (node.type !== "BinaryExpression" || node.operator !== "<") return !found;
    const right = node.right.type === "BinaryExpression" ? node.right.left : node.right;
    found ||= node.left.type === "TSTypeAssertion" && right.type === "Literal" && "regex" in right;
    return !found;
  });
  return found;
}

/**
 * As `nestsTooDeeply`, of a text in which a quote may be a word of an element: what stands in quotes is counted as code.
 * Tags that stay open add up, and those beside each other do not.
 */
function nestsTooDeeplyWithJsx(text: string): boolean {
  if (text.length <= DEEPEST) return false;
  let open = 0;
  let max = 0;
  for (const [tag] of text.matchAll(TAG)) {
    open = tag === "<" ? open + 1 : Math.max(0, open - 1);
    max = Math.max(max, open);
  }
  const code = text.replace(/['"`\\]/g, " ").replace(/<\/?[\w$.:-]*|\/?>/g, ";");
  return TOKENS_OF_TAG * max + deepest(code).tokens > DEEPEST;
}
