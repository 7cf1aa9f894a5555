// Finds the user's text of a cell's function in place of the compiled text: when the function is printed, and in V8's
// messages, which contain the compiled text (`structuredClone(f)`: "... could not be cloned").
import { RESERVED_PREFIX, RUNTIME } from "../../cell/names.ts";
import { ownTexts } from "../../cell/own_texts.ts";
import { typeScriptOptions } from "../modules/local_source.ts";
import { latestScripts } from "./sources.ts";

/**
 * The checks that the compiler and an interrupt insert into functions. They are removed if the function's cell is not
 * found.
 */
const CHECKS = new RegExp(
  [
    ` ?if \\(${RUNTIME.stop}\\[0\\]\\) ${RUNTIME.interrupted}\\(\\);`,
    `${RUNTIME.stop}\\[0\\] && ${RUNTIME.interrupted}\\(\\), `,
    `;globalThis\\.${RUNTIME.stop}\\[0\\] && globalThis\\.${RUNTIME.interrupted}\\(\\);`,
    `globalThis\\.${RUNTIME.stop}\\[0\\] && globalThis\\.${RUNTIME.interrupted}\\(\\), `,
  ].join("|"),
  "g",
);

/** Replaces the getter of `DOMException`'s message, which is Node's error for a value that cannot be cloned. */
export function keepOwnTextsInMessages(): void {
  const message = Object.getOwnPropertyDescriptor(DOMException.prototype, "message");
  const read = message?.get;
  if (read === undefined) return;
  const get = function (this: DOMException): string {
    return ownTextIn(read.call(this) as string);
  };
  Object.defineProperty(DOMException.prototype, "message", { ...message, get });
}

type Texts = ReadonlyMap<string, string>;
const NONE: Texts = new Map();

/**
 * The texts that were found for each script. They take several times the memory of its text, so the collector may drop
 * them.
 */
const found = new WeakMap<object, WeakRef<Texts>>();

/** @param running a function's text as V8 has it */
export function ownTextOf(running: string): string {
  // A class contains no check of its own, but may have had types.
  if (!running.includes(RESERVED_PREFIX) && !running.startsWith("class")) return running;
  for (const script of latestScripts()) {
    const own = script.code.includes(running) ? textsOf(script).get(running) : undefined;
    if (own !== undefined) return own;
  }
  return running.replace(CHECKS, "");
}

/** The message with the user's text of each function in it. */
export function ownTextIn(message: string): string {
  if (!message.includes(RUNTIME.stop)) return message;
  let text = message;
  for (const script of latestScripts()) {
    for (const [running, own] of textsOf(script)) text = text.replaceAll(running, () => own);
    if (!text.includes(RUNTIME.stop)) return text;
  }
  return text.replace(CHECKS, "");
}

function textsOf(script: { readonly text: string; readonly code: string }): Texts {
  const known = found.get(script)?.deref();
  if (known !== undefined) return known;
  const texts = readTexts(script);
  found.set(script, new WeakRef(texts));
  return texts;
}

function readTexts({ text, code }: { readonly text: string; readonly code: string }): Texts {
  try {
    return new Map(ownTexts(text, code, typeScriptOptions()).map(({ running, own }) => [running, own]));
  } catch {
    return NONE; // A user expression is no cell.
  }
}
