// The fuzzer itself: a number is one call, a call that ends its process is told, and Python is given the same call.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fuzzCall, makeCall, overloadCount } from "./fuzz_arguments.ts";
import { failuresOf, type Found } from "./fuzz_range.ts";
import { drawValue, inPython, isDrawable } from "./fuzz_values.ts";

const folder = mkdtempSync(path.join(tmpdir(), "mpslab-fuzz-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Says its numbers as the fuzzer's process does, and ends at some of them. */
function makeProgram(atEach: string): string {
  const file = path.join(folder, "program.mjs");
  writeFileSync(
    file,
    `import { writeSync } from "node:fs";
    const [from, to] = process.argv.slice(2).map(Number);
    for (let number = from; number < to; number++) {
      writeSync(1, number + " add.Tensor torch.ops.aten.add.Tensor(1, 2)\\n");
      ${atEach}
    }`,
  );
  return file;
}

async function everyFailure(program: string, from: number, end: number): Promise<Found[]> {
  const found: Found[] = [];
  for await (const one of failuresOf(program, { from, end })) found.push(one);
  return found;
}

describe("a range of calls", () => {
  it("goes on behind those that end their process", async () => {
    const program = makeProgram(`
      if (number === 3) process.kill(process.pid, "SIGSEGV");
      if (number === 5) process.exit(7);`);
    const python = "torch.ops.aten.add.Tensor(1, 2)";
    expect(await everyFailure(program, 0, 9)).toMatchObject([
      { number: 3, text: "add.Tensor", python, failure: "SIGSEGV" },
      { number: 5, text: "add.Tensor", python, failure: "status 7" },
    ]);
  });

  it("has no failure where every process ends well", async () => {
    expect(await everyFailure(makeProgram(""), 0, 9)).toEqual([]);
  });

  it("takes nothing that a call prints for a number, and keeps the last words", async () => {
    const program = makeProgram(`
      if (number === 2) { writeSync(1, "free memory\\n"); writeSync(2, "Warning: old\\nfree(): invalid size\\n"); }
      if (number === 2) process.kill(process.pid, "SIGKILL");`);
    expect(await everyFailure(program, 2, 3)).toMatchObject([
      { number: 2, failure: "SIGKILL", crashStderrFilter: "free(): invalid size" },
    ]);
  });
});

describe("a number", () => {
  it("is the same call each time, and another than its neighbours", () => {
    const lines = Array.from({ length: 50 }, (_, number) => fuzzCall(number).python);
    expect(Array.from({ length: 50 }, (_, number) => fuzzCall(number).python)).toEqual(lines);
    expect(new Set(lines).size).toBeGreaterThan(45);
  });

  it("may be any overload, with or without a public name", () => {
    expect(overloadCount).toBeGreaterThan(2_500);
  });
});

describe("a call in Python", () => {
  const drawn = (type: string, at: number) => drawValue(type, () => at);

  it("has its arguments by place and by name", () => {
    const call = makeCall(
      { name: "sum", overload: "IntList_out" },
      [drawn("Tensor", 0), drawn("int[1]", 0.1)],
      {
        keepdim: drawn("bool", 0),
        out: drawn("Tensor", 0.999),
      },
    );
    expect(call.text).toBe("sum.IntList_out");
    expect(call.python).toBe(
      'torch.ops.aten.sum.IntList_out(torch.ones([2, 2]), [1], keepdim=True, out=torch.ones([2, 2], device="meta"))',
    );
  });

  it("names the overload without a name", () => {
    expect(makeCall({ name: "relu", overload: "" }, [drawn("Tensor", 0)], {}).python).toBe(
      "torch.ops.aten.relu.default(torch.ones([2, 2]))",
    );
  });

  it.each([
    [true, "True"],
    ["mean", '"mean"'],
    [NaN, 'float("nan")'],
    [Infinity, 'float("inf")'],
    [3n, "3"],
    [-7, "-7"],
    [{ re: 1, im: -1 }, "complex(1, -1)"],
  ])("%s is %s", (value, text) => {
    expect(inPython(value)).toBe(text);
  });

  it.each([
    ["ScalarType", "torch.float32"],
    ["Layout", "torch.strided"],
    ["Device", 'torch.device("cpu")'],
    ["Generator?", "None"],
    ["Tensor?[]", "[]"],
  ])("%s: %s", (type, text) => {
    expect(drawn(type, 0).python).toBe(text);
  });

  it("has no values of storages and streams", () => {
    expect(["Tensor?[]", "SymInt[2]?", "Storage", "Stream"].map(isDrawable)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
