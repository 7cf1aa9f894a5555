// Compiles a magic to a script of its own, for magics that run before the rest of their cell is compiled.
import { GenMapping, maybeAddSegment, toEncodedMap } from "@jridgewell/gen-mapping";
import type { MagicLine } from "./magics.ts";
import { CELL_URL_SCHEME, RUNTIME } from "../names.ts";

/** @param script names it in stack traces, which point at the magic's line of the cell */
export function magicScript(
  { name, call, line }: MagicLine,
  script: string,
): { readonly url: string; readonly code: string; readonly map: string } {
  const url = `${CELL_URL_SCHEME}${script}`;
  const map = new GenMapping({ file: url });
  maybeAddSegment(map, 0, 0, url, line, 0);
  const magic = `${RUNTIME.magic}(${JSON.stringify(name)}, ${JSON.stringify(call)})`;
  const code = `await ${RUNTIME.await}(${magic}); void 0;\n//# sourceURL=${url}`;
  return { url, code, map: JSON.stringify(toEncodedMap(map)) };
}
