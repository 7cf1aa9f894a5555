// Values through JSON and back: the encoding as it is written, the types that are read off it, what is refused.
import { describe, expect, it } from "vitest";
import { decode, encode, type Encoded, NotSavable, typeOf } from "../../../kernel/snapshot/encode.ts";

const plain = (value: unknown) => encode(value, "x", () => null);
const back = (encoded: Encoded) =>
  decode(JSON.parse(JSON.stringify(encoded)) as Encoded, () => {
    throw new Error("no tensor here");
  });

class Point {
  x = 1;
}
class List<T> extends Array<T> {}
const cyclic: Record<string, unknown> = {};
cyclic["self"] = { cyclic };

describe("a value", () => {
  it.each<[value: unknown, encoded: unknown, type: string]>([
    [1.5, 1.5, "number"],
    ["text", "text", "string"],
    [true, true, "boolean"],
    [null, null, "any"],
    [undefined, { $: "undefined" }, "any"],
    [NaN, { $: "number", text: "NaN" }, "number"],
    [-Infinity, { $: "number", text: "-Infinity" }, "number"],
    [-0, { $: "number", text: "-0" }, "number"],
    [-12345678901234567890n, { $: "bigint", text: "-12345678901234567890" }, "bigint"],
    [new Date(5), { $: "Date", ms: 5 }, "Date"],
    [new Date(NaN), { $: "Date", ms: null }, "Date"],
    [[1, "a", 2], [1, "a", 2], "(number | string)[]"],
    [[], [], "any[]"],
    [[[1], [2]], [[1], [2]], "number[][]"],
    [{ a: 1, "b c": ["d"] }, { a: 1, "b c": ["d"] }, '{ "a": number; "b c": string[] }'],
    [{ $: 1 }, { $: "object", entries: [["$", 1]] }, '{ "$": number }'],
    [new Map([["a", 1n]]), { $: "Map", entries: [["a", { $: "bigint", text: "1" }]] }, "Map<string, bigint>"],
    [new Map(), { $: "Map", entries: [] }, "Map<any, any>"],
    [new Set([1, 2]), { $: "Set", values: [1, 2] }, "Set<number>"],
    [new Int16Array([1, -1]), { $: "Int16Array", base64: "AQD//w==" }, "Int16Array"],
    [new BigUint64Array([1n]), { $: "BigUint64Array", base64: "AQAAAAAAAAA=" }, "BigUint64Array"],
    [new Float64Array(0), { $: "Float64Array", base64: "" }, "Float64Array"],
    [new Uint8Array([9, 1, 2, 9]).subarray(1, 3), { $: "Uint8Array", base64: "AQI=" }, "Uint8Array"],
  ])("%o is written as %j, is read back, and has the type %s", (value, encoded, type) => {
    expect(plain(value)).toEqual(encoded);
    expect(back(plain(value))).toEqual(value);
    expect(typeOf(plain(value))).toBe(type);
  });

  it("may be called __proto__", () => {
    const value = JSON.parse('{ "__proto__": { "polluted": 1 } }') as object;
    const read = back(plain(value)) as object;
    expect(Object.hasOwn(read, "__proto__")).toBe(true);
    expect("polluted" in {}).toBe(false);
  });

  it("with more than a hundred keys is a record, and deep ones end in any", () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, index]));
    expect(typeOf(plain(many))).toBe("Record<string, number>");
    let deep: unknown = 1;
    for (let depth = 0; depth < 9; depth++) deep = [deep];
    expect(typeOf(plain(deep))).toBe("any[][][][][][][]");
  });

  it.each<[unknown, string]>([
    [() => 1, "x is a function"],
    [{ a: [Symbol("s")] }, "x.a.0 is a symbol"],
    [cyclic, "x.self.cyclic contains itself"],
    [{ point: new Point() }, "x.point is an instance of Point"],
    [new Map([["k", new WeakMap()]]), "x.k is an instance of WeakMap"],
    [Promise.resolve(1), "x is an instance of Promise"],
    [/a/, "x is an instance of RegExp"],
    [{ [Symbol("s")]: 1 }, "x has a symbol for a key"],
  ])("%o is refused by name", (value, message) => {
    expect(() => plain(value)).toThrow(new NotSavable(message));
  });

  it("that stands in two places is no cycle", () => {
    const shared = { n: 1 };
    expect(back(plain([shared, shared]))).toEqual([shared, shared]);
  });

  it("of a list class is not passed off as an array", () => {
    expect(() => plain(List.of(1))).toThrow("x is an instance of List");
  });

  it("that this version does not write is not guessed", () => {
    expect(() => back({ $: "Temporal", text: "x" })).toThrow(
      'it holds a "Temporal", which this version does not know',
    );
  });
});
