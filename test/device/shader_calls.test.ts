// Wrong calls of custom kernels, and sources that do not compile: on a Metal device, simulated or not.
import { describe, expect, it } from "vitest";
import { DeviceMismatchError, mps, torch, UnavailableError } from "../../lib/index.ts";
import { device, simulated } from "./device_under_test.ts";

const here = device === "mps";

const BASICS = `
kernel void full(device float* out, constant float& val, uint idx [[thread_position_in_grid]]) { out[idx] = val; }
kernel void add(const device float* a, const device float* b, device float* out, constant uint& n,
                uint i [[thread_position_in_grid]]) { if (i < n) out[i] = a[i] + b[i]; }
`;

describe.skipIf(!here)("a wrong call of a kernel", () => {
  const x = () => torch.zeros([4], { device });
  it.each<[string, (library: mps.ShaderLibrary) => unknown, new (text: string) => Error, string]>([
    [
      "too few arguments",
      ({ full }) => full!(x()),
      TypeError,
      "full: the kernel takes 2 arguments (out, val), got 1.",
    ],
    [
      "a tensor of the CPU",
      ({ full }) => full!(torch.zeros([4]), 1),
      DeviceMismatchError,
      'full: argument 0, "out", is on cpu, and kernels run on mps. Move it with .to("mps").',
    ],
    [
      "a string",
      ({ full }) => full!(x(), "1" as never),
      TypeError,
      'full: argument 1, "val", must be a tensor of the mps device, a number, or a list of numbers, got "1".',
    ],
    [
      "a fraction for a whole number",
      ({ add }) => add!(x(), x(), x(), 1.5),
      RangeError,
      'add: argument 3, "n", is uint32 in the kernel and takes whole numbers, got 1.5.',
    ],
    [
      "a number that its type cannot hold",
      ({ add }) => add!(x(), x(), x(), -1),
      RangeError,
      'add: argument 3, "n", is uint32 in the kernel, which -1 does not fit.',
    ],
    [
      "an empty list",
      ({ full }) => full!(x(), []),
      RangeError,
      'full: argument 1, "val", must not be an empty list.',
    ],
    [
      "an unknown option",
      ({ full }) => full!(x(), 1, { group: 1 } as never),
      TypeError,
      'full: unknown option "group"; it takes threads, groupSize, argCasts, errorBufIdx.',
    ],
    [
      "four dimensions",
      ({ full }) => full!(x(), 1, { threads: [1, 1, 1, 1] }),
      RangeError,
      "full: threads takes one to three numbers, got [1, 1, 1, 1].",
    ],
    [
      "a negative size",
      ({ full }) => full!(x(), 1, { threads: -1 }),
      RangeError,
      "full: threads must be an integer of at least 0, got -1.",
    ],
    [
      "a group of other dimensions",
      ({ full }) => full!(x(), 1, { threads: [2, 2], groupSize: 2 }),
      RangeError,
      "full: threads and groupSize must have as many dimensions, got [2, 2] and [2].",
    ],
    [
      "a group that is too large",
      ({ full }) => full!(x(), 1, { threads: [64, 64], groupSize: [64, 64] }),
      RangeError,
      "full: a group has 1 to 1024 threads, and [64, 64] makes 4096.",
    ],
    [
      "an unknown cast",
      ({ full }) => full!(x(), 1, { argCasts: "double" as never }),
      TypeError,
      'full: argCasts must be one of "float32", "fp32", "float16", "fp16", "bfloat16", "bf16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool", got "double".',
    ],
  ])("%s is refused", (_, call, kind, message) => {
    const library = mps.compileShader(BASICS);
    expect(() => call(library)).toThrow(kind);
    expect(() => call(library)).toThrow(message);
  });

  it("a source that is none, and a library of Apple's code on simulated Metal", () => {
    expect(() => mps.compileShader(1 as never)).toThrow(
      new TypeError("mps.compileShader: the source must be a string, got 1."),
    );
    expect(() => mps.loadMetallib(1 as never)).toThrow(
      new TypeError("mps.loadMetallib: expected a path or the bytes of a .metallib file, got 1."),
    );
    if (simulated) expect(() => mps.loadMetallib("a.metallib")).toThrow(UnavailableError);
  });

  it("a source that does not compile shows the user's line", () => {
    const source = "kernel void f(device float* x, uint i [[thread_position_in_grid]]) {\n  x[i] = y;\n}";
    expect(() => mps.compileShader(source)).toThrow(mps.ShaderError);
    expect(() => mps.compileShader(source)).toThrow(
      /^mps\.compileShader: line 2: .*\n {2}2 \|   x\[i\] = y;$/,
    );
  });
});
