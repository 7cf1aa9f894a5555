// Texts and source maps of cells: kept while V8 has the script, and no longer.
import { Session } from "node:inspector";
import { expect, it } from "vitest";
import { originalPosition, addScript } from "../../../../kernel/runtime/errors/sources.ts";

const map = JSON.stringify({ version: 3, names: [], sources: ["cell.ts"], mappings: "AAAA" });
const url = (script: number): string => `mpslab-cell:sources-${script}`;
const add = (script: number): void =>
  addScript({ url: url(script), code: "0", map, text: `text ${script}` }, `Cell [${script}]`);
const textOf = (script: number): string | undefined =>
  originalPosition(url(script), { line: 1, column: 1 })?.text;

it("are kept of a script whose function lives, and dropped of those that nothing can reach", () => {
  const session = new Session();
  session.connect();
  session.post("Runtime.evaluate", {
    expression: `globalThis.kept = () => 1;\n//# sourceURL=${url(0)}`,
  });
  add(0);
  // The others are of scripts that V8 does not have.
  for (let script = 1; script <= 3000; script++) add(script);
  const known = Array.from({ length: 3001 }, (_, script) => script).filter((script) => textOf(script));
  expect(known.length).toBeLessThanOrEqual(1000);
  expect(textOf(0)).toBe("text 0");
  expect(textOf(3000)).toBe("text 3000");
  expect(textOf(1)).toBeUndefined();
  session.disconnect();
});
