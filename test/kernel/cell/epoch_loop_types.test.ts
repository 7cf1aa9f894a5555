// The compiler and the lab each say what an epoch loop is, as `lib` knows no kernel: here both say the same. `npm run
// lint` fails when they do not.
import { expectTypeOf, test } from "vitest";
import type * as kernel from "../../../kernel/cell/names.ts";
import type * as lab from "../../../lib/lab/epochs.ts";

type Description = Parameters<typeof lab.openEpochLoop>[0];

test("the loop that the lab opens is the one that a compiled cell drives", () => {
  expectTypeOf<lab.CompiledEpochLoop>().toEqualTypeOf<kernel.EpochLoop>();
});

test("the lab takes every description that the compiler writes, and knows each of its fields", () => {
  expectTypeOf<kernel.EpochLoopDescription>().toExtend<Description>();
  expectTypeOf<keyof kernel.EpochLoopDescription>().toExtend<keyof Description>();
});
