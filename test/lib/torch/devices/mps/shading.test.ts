// Tests the parts of custom kernels that need no device: constants as bytes, kernels in a source, PyTorch's headers in
// one text.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../../lib/index.ts";
import { bytesOf } from "../../../../../lib/torch/devices/mps/shading/constants.ts";
import { embedHeaders } from "../../../../../lib/torch/devices/mps/shading/headers.ts";
import { readKernels } from "../../../../../lib/torch/devices/mps/shading/kernels.ts";
import { join, tokenize } from "../../../../../lib/torch/devices/mps/shading/tokens.ts";

describe("a constant's bytes", () => {
  const numbers = [
    0,
    -0,
    1,
    -2.5,
    1 / 3,
    65504,
    65519.9,
    65520,
    1e-8,
    6e-8,
    6.1e-5,
    2049,
    2051,
    -Infinity,
    NaN,
  ];

  it.each<[string, "float32" | "float16" | "bfloat16"]>([
    ["const float*", "float32"],
    ["const half*", "float16"],
    ["const bfloat*", "bfloat16"],
  ])("of %s are those that PyTorch rounds to", (type, dtype) => {
    const made = torch.tensor(numbers, { dtype: "float64" }).to("float32").to(dtype);
    const expected = new Uint8Array(made.view("uint8").data().buffer.slice(0, made.nbytes));
    // PyTorch's number for NaN may have a sign.
    const rounded = bytesOf("f", "x", numbers.map(Math.fround), type, undefined);
    const width = expected.length / numbers.length;
    expect(rounded.slice(0, -width)).toEqual(expected.slice(0, -width));
  });

  it.each<[unknown, string, number[]]>([
    [3, "float&", [0, 0, 64, 64]],
    [3, "int&", [3, 0, 0, 0]],
    [-1, "short&", [255, 255]],
    [true, "bool&", [1]],
    [7n, "ulong&", [7, 0, 0, 0, 0, 0, 0, 0]],
    [[1, 2, 3], "uchar3&", [1, 2, 3, 0]],
    [[1, 2], "metal::ushort2&", [1, 0, 2, 0]],
    // For a type of the user's own, a number becomes what Python's would be.
    [1, "Params&", [1, 0, 0, 0, 0, 0, 0, 0]],
    [0.5, "Params&", [0, 0, 0, 63]],
  ])("of %s for %s", (value, type, bytes) => {
    expect([...bytesOf("f", "x", value, type, undefined)]).toEqual(bytes);
  });
});

describe("a source's kernels", () => {
  it("are told with what each parameter stands for, numbered where the source does not", () => {
    const [kernel] = readKernels(
      tokenize(
        "[[max_total_threads_per_threadgroup(64)]] kernel void f(const device float4 *a [[buffer(2)]], constant metal::vec<int, 2>& b, uint3 at [[thread_position_in_grid]]) {}",
      ),
    );
    expect(kernel).toMatchObject({ name: "f", maxThreads: 64 });
    expect(kernel!.parameters.map(({ name, stands, index }) => [name, stands, index])).toEqual([
      ["a", "buffer", 2],
      ["b", "buffer", 3],
      ["at", "thread_position_in_grid", 0],
    ]);
  });

  it("are found as attributes, in templates and declared beforehand", () => {
    const source = `
      kernel void later(device int* x);
      [[kernel]] void first(device int* x) { x[0] = int(1) ; }
      kernel void later(device int* x) { }
      template <typename T, int N> kernel void many(device T* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {}
      template [[host_name("many" "_2")]] kernel void many<int, 2>(device int* x [[buffer(0)]], uint i [[thread_position_in_grid]]);
      template [[host_name("many_3")]] kernel decltype(many<int, 3>) many<int, 3>;`;
    expect(readKernels(tokenize(source)).map(({ name, symbol }) => [name, symbol])).toEqual([
      ["first", "first"],
      ["later", "later"],
      ["many_2", "many<int,2>"],
      ["many_3", "many<int,3>"],
    ]);
  });

  it("leave the source as it is", () => {
    const source = "a[b[0]] += 0x1p3f; // and\n'\\''; /* two\nlines */ \"text\" 1e-5f .5h x->y::z <<= 2\n";
    expect(join(tokenize(source))).toBe(source);
    expect(tokenize(source).find(({ text }) => text === '"text"')?.line).toBe(3);
  });
});

describe("PyTorch's headers", () => {
  it("are written into the source, each once, and lines keep their numbers; Metal's own stay named", () => {
    const source = embedHeaders(
      "#include <c10/metal/utils.h>\n#include <c10/metal/utils.h>\nkernel void f() {}",
      "mine",
    );
    expect(source).toContain('#line 1 "c10/metal/utils.h"\n');
    expect(source).toContain("#include <metal_stdlib>");
    expect(source).not.toMatch(/#include <c10\/metal|#pragma once/);
    expect(source.match(/#line 1 "c10\/metal\/utils.h"/g)).toHaveLength(1);
    expect(source).toMatch(/\n#line 2 "mine"\n\nkernel void f\(\) \{\}$/);
  });
});
