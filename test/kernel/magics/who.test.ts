// What %who says of values that it must not run code of.
import { expect, it } from "vitest";
import { measure } from "../../../kernel/magics/who.ts";

const tensor = { shape: [2, 3], dtype: "float32", device: "mps:0", nbytes: 24 };
const disposed = {
  get shape(): number[] {
    throw new Error("disposed in Cell [3]");
  },
};

it.each([
  ["a number", 1, "", null],
  ["text", "abc", "3 characters", null],
  ["an array", [1], "1 element", null],
  ["a map", new Map([[1, 2]]), "1 entry", null],
  ["a set", new Set([1, 2]), "2 entries", null],
  ["a typed array", new Float64Array(1000), "1,000 elements", 8000],
  ["a buffer", new ArrayBuffer(16), "", 16],
  ["a tensor", tensor, "[2, 3] float32 on mps:0", 24],
  ["a tensor that was disposed of", disposed, "", null],
  ["null", null, "", null],
])("%s", (_, value, size, bytes) => expect(measure(value)).toEqual({ size, bytes }));
