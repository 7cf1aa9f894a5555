// Finds the innermost line of a stack that is neither this library's nor an installed package's. Under the kernel,
// stacks already use the user's terms (`Cell [3]:4:11`). Elsewhere, frames of this library and of Node are left out.
import { fileURLToPath } from "node:url";

const LIBRARY = new URL("../../", import.meta.url);
const FRAME = /^\s+at (?:.*? \()?(?:async )?(?<place>(?:file:\/\/|\/|Cell \[).*?:\d+:\d+)\)?$/;

/** `Cell [3]:4:11`, or null if no line of the user's is on the stack. */
export function callersPlace(): string | null {
  const previous = Error.stackTraceLimit;
  Error.stackTraceLimit = 50;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = previous;
  let inPackage: string | null = null;
  for (const line of stack.split("\n").slice(1)) {
    const place = FRAME.exec(line)?.groups?.["place"];
    if (place === undefined || place.includes("node:internal")) continue;
    const plain = place.replace(/^file:\/\//, "");
    if (plain.startsWith(LIBRARY.pathname)) continue;
    if (!plain.includes("/node_modules/")) return withPath(place);
    inPackage ??= withPath(place);
  }
  // The package runs without a user's frame below it, as after an await.
  return inPackage;
}

/** `file:///my%20models/train.js:4:11` -> `/my models/train.js:4:11` */
function withPath(place: string): string {
  const url = /^file:.*?(?=:\d+:\d+$)/.exec(place)?.[0];
  return url === undefined ? place : `${fileURLToPath(url)}${place.slice(url.length)}`;
}

/** `Cell [3]:4:11` -> `Cell [3]:4` */
export function lineOf(place: string): string {
  return place.replace(/:\d+$/, "");
}
