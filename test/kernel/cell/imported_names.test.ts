// Tests what is known of a cell's imports, and that each can be written again.
import { expect, it } from "vitest";
import { NO_BINDINGS } from "../../../kernel/cell/analyze.ts";
import { compile } from "../../../kernel/cell/compile.ts";
import { importStatement } from "../../../kernel/cell/imported_names.ts";

const statements = (text: string): string[] =>
  compile(text, NO_BINDINGS, { script: "1", flush: false }).importedNames.map(importStatement);

it.each([
  [
    'import { torch, nn as layers } from "mpslab"',
    ['import { torch } from "mpslab";', 'import { nn as layers } from "mpslab";'],
  ],
  ['import ms, * as all from "ms"', ['import { default as ms } from "ms";', 'import * as all from "ms";']],
  [
    'import { type A, "b-c" as b } from "./a.ts"',
    ['import type { A } from "./a.ts";', 'import { "b-c" as b } from "./a.ts";'],
  ],
  ['import type { A as B } from "a"', ['import type { A as B } from "a";']],
  [
    'import data from "./d.json" with { type: "json" }',
    ['import { default as data } from "./d.json" with {"type":"json"};'],
  ],
  ['import "./effects.ts"; const x = 1;', []],
])("%s", (text, written) => {
  expect(statements(text)).toEqual(written);
  expect(written.flatMap(statements)).toEqual(written);
});
