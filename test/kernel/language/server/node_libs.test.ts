// The table of libraries against the Node that runs the test: what a library declares must be there.
import { expect, it } from "vitest";
import { nodeLibs } from "../../../../kernel/language/server/node_libs.ts";

const DECLARED: Readonly<Record<string, () => unknown>> = {
  es2023: () => "toSorted" in Array.prototype,
  "es2024.string": () => "isWellFormed" in String.prototype,
  "es2024.sharedmemory": () => "waitAsync" in Atomics,
  "es2024.regexp": () => "unicodeSets" in RegExp.prototype,
  "es2024.object": () => "groupBy" in Object,
  "es2024.collection": () => "groupBy" in Map,
  "es2024.arraybuffer": () => "transfer" in ArrayBuffer.prototype,
  es2024: () => "withResolvers" in Promise,
  "es2025.collection": () => "union" in Set.prototype,
  "es2025.iterator": () => "Iterator" in globalThis,
  "esnext.array": () => "fromAsync" in Array,
  es2025: () => "Float16Array" in globalThis && "try" in Promise && "escape" in RegExp,
  "esnext.error": () => "isError" in Error,
  "esnext.sharedmemory": () => "pause" in Atomics,
  "esnext.disposable": () => "DisposableStack" in globalThis,
};

/** The libs that the session adds to every Node. */
const SESSION = ["esnext.decorators"];
const own = nodeLibs(Number.parseInt(process.versions.node, 10));

it.each(Object.entries(DECLARED))("%s is given where this Node has it, and only there", (lib, present) => {
  expect(own.includes(lib)).toBe(Boolean(present()));
});

it("a newer Node keeps what an older one has", () => {
  const every = nodeLibs(99);
  expect([...every].sort()).toEqual([...Object.keys(DECLARED), ...SESSION].sort());
  expect(every.slice(0, own.length)).toEqual(own);
});
