// Tests what the debugger's panel is told of values with many members: the first, and how many are left.
import { describe, expect, it } from "vitest";
import { debuggerValues } from "../../../../kernel/runtime/debugger/shown_values.ts";

interface Shown {
  readonly name: string;
  readonly value: string;
  readonly expandable: boolean;
}
const parts = (value: unknown) => JSON.parse(debuggerValues.parts(value)) as Shown[];
const described = (value: unknown) => JSON.parse(debuggerValues.describe(value)) as Shown;

describe("a value with many members", () => {
  it.each([
    ["ten million numbers", Array.from({ length: 10_000_000 }, (_, i) => i), "9,999,800 more"],
    ["ten million typed numbers", new Float64Array(10_000_000), "9,999,800 more"],
    [
      "a table of half a million keys",
      Object.fromEntries(Array.from({ length: 500_000 }, (_, i) => [`k${i}`, i])),
      "499,800 more",
    ],
  ])("shows the first of them: %s", (_, value, rest) => {
    expect(described(value).expandable).toBe(true);
    const shown = parts(value);
    expect(shown).toHaveLength(201);
    expect(shown.at(-1)).toMatchObject({ name: "...", value: rest, expandable: true });
    const next = JSON.parse(debuggerValues.parts(debuggerValues.part(value, 200))) as Shown[];
    expect(next[0]!.name).toMatch(/200$/);
    expect(next).toHaveLength(201);
  });

  it("shows the beginning of a long text and its length, and opens it in pieces", () => {
    const text = "x".repeat(50_000_000);
    expect(described(text)).toEqual({
      value: `'${"x".repeat(200)}'… 50,000,000 characters`,
      type: "string",
      expandable: true,
    });
    const [first, ...more] = parts(text);
    expect(first).toMatchObject({ name: "0 to 4,999", access: ".slice(0, 5000)", value: "x".repeat(5_000) });
    expect(more.at(-1)).toMatchObject({ name: "...", value: "49,000,000 more" });
    expect(described("x".repeat(200))).toMatchObject({ expandable: false });
  });

  it("shows what is written to a short list under names, and an error's message and cause", () => {
    expect(parts(Object.assign([1], { mean: 2 })).map(({ name }) => name)).toEqual(["0", "mean"]);
    const error = Object.assign(new Error("no", { cause: 1 }), { code: "E" });
    expect(parts(error).map(({ name }) => name)).toEqual(["message", "cause", "code"]);
  });
});
