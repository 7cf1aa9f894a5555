// Finds the user's text for what V8 calls a function of a cell: when it is printed, and in V8's messages, which hold the
// text that runs (`structuredClone(f)`: "... could not be cloned").
import { RESERVED_PREFIX, RUNTIME } from "../../cell/names.ts";
import { ownTexts } from "../../cell/own_texts.ts";
import { typeScriptOptions } from "../modules/local_source.ts";
import { latestScripts } from "./sources.ts";

/** What the compiler and an interrupt write at the heads of functions, where no cell is found that the function is from. */
const CHECKS = new RegExp(
  [
    ` ?if \\(${RUNTIME.stop}\\[0\\]\\) ${RUNTIME.interrupted}\\(\\);`,
    `${RUNTIME.stop}\\[0\\] && ${RUNTIME.interrupted}\\(\\), `,
    `;globalThis\\.${RUNTIME.stop}\\[0\\] && globalThis\\.${RUNTIME.interrupted}\\(\\);`,
    `globalThis\\.${RUNTIME.stop}\\[0\\] && globalThis\\.${RUNTIME.interrupted}\\(\\), `,
  ].join("|"),
  "g",
);

/** `error.message` of what could not be cloned; Node's own class keeps it behind a getter. */
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

/** What was found for each script; takes several times its text's memory, so the collector may drop it. */
const found = new WeakMap<object, WeakRef<Texts>>();

/** @param running the text that V8 has for a function */
export function ownTextOf(running: string): string {
  // A class has no check of its own, but it may have types.
  if (!running.includes(RESERVED_PREFIX) && !running.startsWith("class")) return running;
  for (const script of latestScripts()) {
    const own = script.code.includes(running) ? textsOf(script).get(running) : undefined;
    if (own !== undefined) return own;
  }
  return running.replace(CHECKS, "");
}

/** The message with the user's text for each function that it holds. */
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
    return NONE; // A user expression that is no cell.
  }
}
