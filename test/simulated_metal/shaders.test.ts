// Tests what simulated Metal reports of kernels where a Mac would report nothing or something else: indices beyond a
// buffer, threads that never meet, and sources outside of the subset.
import { statSync } from "node:fs";
import { inspect } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { mps, torch } from "../../lib/index.ts";
import { compileForHost } from "../../lib/torch/devices/mps/shading/compile.ts";

beforeAll(() => void mps.simulate({ memory: "8GB" }));

const zeros = (count: number) => torch.zeros([count], { device: "mps" });
const body = (text: string) =>
  `using namespace metal;\nkernel void f(device float* x, constant int& n, uint i [[thread_position_in_grid]]) {\n${text}\n}`;

/** The failure comes when somebody waits for the queue. */
function run(source: string, ...args: Parameters<mps.ShaderKernel>): void {
  mps.compileShader(source)["f"]!(...args);
  mps.synchronize();
}

describe("a thread beyond its buffer", () => {
  it.each<[string, string, number, string]>([
    ["behind the end", "x[i] = 1;", 20, 'thread [16] uses element 16 of "x", which holds 16 of 4 bytes'],
    [
      "before the beginning",
      "x[int(i) - 1] = 1;",
      4,
      'thread [0] uses element -1 of "x", which holds 16 of 4 bytes',
    ],
    [
      "by a pointer that moved",
      "device float* p = x + 10; p += 5; p[i] = 1;",
      4,
      'thread [1] uses element 16 of "x", which holds 16 of 4 bytes',
    ],
    [
      "by a pointer to something wider",
      "((device float4*)x)[i].x = 1;",
      5,
      'thread [4] uses element 4 of "x", which holds 4 of 16 bytes',
    ],
    [
      "in a function that it calls",
      "x[i] = (&x[n])[i];",
      2,
      'thread [0] uses element 100 of "x", which holds 16 of 4 bytes',
    ],
  ])("%s is an error that says where", (_, text, threads, message) => {
    expect(() => run(body(text), zeros(16), 100, { threads })).toThrow(RangeError);
    expect(() => run(body(text), zeros(16), 100, { threads })).toThrow(
      `f, which was queued before, failed: ${message}`,
    );
  });

  it("a place behind the end may be named as long as nobody uses it", () => {
    const x = zeros(16);
    run(body("device float* p = &x[i * 8]; if (i < 2) p[0] = 1;"), x, 0, { threads: 4 });
    expect(x.sum().item()).toBe(2);
  });

  it("a constant that is shorter than the kernel's type is an error too", () => {
    expect(() => run(body("x[i] = n;"), zeros(1), 1, { argCasts: "int8" })).toThrow(
      'thread [0] uses element 0 of "n", which holds 0 of 4 bytes',
    );
  });

  it("in a plane is told by both numbers", () => {
    const source =
      "kernel void f(device float* x, uint2 at [[thread_position_in_grid]]) { x[at.y * 4 + at.x] = 1; }";
    expect(() => run(source, zeros(8), { threads: [4, 3], groupSize: [2, 2] })).toThrow(
      'thread [0, 2] uses element 8 of "x"',
    );
  });

  it("leaves the device to work on", () => {
    expect(() => run(body("x[100] = 1;"), zeros(4), 0)).toThrow(RangeError);
    expect(torch.ones([3], { device: "mps" }).sum().item()).toBe(3);
  });
});

describe("threads of a group", () => {
  const waiting = (text: string) =>
    `using namespace metal;\nkernel void f(device float* x, uint i [[thread_position_in_grid]]) {\n${text}\n}`;

  it("that wait at different barriers are an error with both lines, and the next kernel runs", () => {
    const source = waiting(
      "if (i < 2) {\nthreadgroup_barrier(mem_flags::mem_none);\n} else {\nthreadgroup_barrier(mem_flags::mem_none);\n}\nx[i] = 1;",
    );
    expect(() => run(source, zeros(4))).toThrow(
      "threads of a group wait for each other in lines 4 and 6: all of them must come to the same barriers",
    );
    const x = zeros(4);
    run(waiting("threadgroup_barrier(mem_flags::mem_none); x[i] = 2;"), x);
    expect(x.tolist()).toEqual([2, 2, 2, 2]);
  });

  it("that are done are not waited for", () => {
    const x = zeros(4);
    run(waiting("if (i == 3) return; x[i] = 1; threadgroup_barrier(mem_flags::mem_none); x[i] += 1;"), x);
    expect(x.tolist()).toEqual([2, 2, 2, 0]);
  });

  it("beyond a buffer say so where they wait too", () => {
    expect(() => run(waiting("threadgroup_barrier(mem_flags::mem_none); x[i + 1] = 1;"), zeros(4))).toThrow(
      'thread [3] uses element 4 of "x"',
    );
  });

  it("wait in functions that the kernel calls", () => {
    const source = `using namespace metal;
inline void meet() { threadgroup_barrier(mem_flags::mem_threadgroup); }
kernel void f(device float* x, uint i [[thread_position_in_grid]], uint n [[threads_per_threadgroup]]) {
  threadgroup float shared[64];
  shared[i] = i;
  meet();
  x[i] = shared[n - 1 - i];
}`;
    const x = zeros(4);
    run(source, x);
    expect(x.tolist()).toEqual([3, 2, 1, 0]);
  });

  it("of a SIMD-group in another branch sit its functions out", () => {
    const x = zeros(8);
    run(waiting("x[i] = 1;\nif (i % 2 == 0) {\nx[i] = simd_sum(float(i));\n}\nx[i] += simd_sum(1.0f);"), x);
    expect(x.tolist()).toEqual([20, 9, 20, 9, 20, 9, 20, 9]);
  });

  it("have 32 KiB of threadgroup memory together", () => {
    const source = waiting("threadgroup float big[10000]; big[i] = 1; x[i] = big[i];");
    expect(() => run(source, zeros(4))).toThrow(
      "the kernel f needs 40000 bytes of threadgroup memory, and there are 32768",
    );
  });
});

describe("a compiled source", () => {
  const source = body("x[i] = n;");

  it("is kept in the user's cache, and not compiled again", () => {
    const { file } = compileForHost("test", source);
    const made = statSync(file).mtimeMs;
    expect(compileForHost("test", source).file).toBe(file);
    expect(statSync(file).mtimeMs).toBe(made);
    expect(compileForHost("test", `${source}\n`).file).not.toBe(file);
  });

  it("needs a compiler", () => {
    vi.stubEnv("CXX", "/nowhere/c++");
    try {
      expect(() => mps.compileShader(body("x[i] = 3;"))).toThrow(
        "mps.compileShader: no C++ compiler was found (/nowhere/c++ does not run), and simulated Metal compiles kernels with it: install one (on Debian: apt install g++), or set CXX to its path.",
      );
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe("a source outside of the subset is refused with its line:", () => {
  it.each<[string, string, number, string]>([
    ["double", body("double y = 1;"), 3, "double: Metal has no double: use float"],
    [
      "a texture",
      "kernel void f(\n  texture2d<float> image [[texture(0)]]) {}",
      2,
      "texture2d: simulated Metal has no textures and samplers: use buffers",
    ],
    [
      "a simdgroup matrix",
      body("simdgroup_float8x8 m;"),
      3,
      "simdgroup_float8x8: simulated Metal has no simdgroup matrices: multiply in threadgroup tiles",
    ],
    [
      "a matrix",
      body("float4x4 m;"),
      3,
      "float4x4: simulated Metal has no matrices: use one vector a column",
    ],
    [
      "threadgroup memory as a parameter",
      "kernel void f(device float* x,\n  threadgroup float* t [[threadgroup(0)]]) {}",
      2,
      'the size of the threadgroup memory "t" cannot be given with a call: declare it inside the kernel, as threadgroup float t[256];',
    ],
    [
      "a parameter without an address space",
      "kernel void f(device float* x, uint i) {}",
      1,
      'the parameter "i" must be in device or constant memory, or have an attribute such as [[thread_position_in_grid]]',
    ],
    [
      "another header",
      "#include <metal_stdlib>\n#include <map>\nkernel void f(device float* x) {}",
      2,
      "the header map is not part of what simulated Metal takes: metal_stdlib is",
    ],
    ["no kernel", "void f() {}", 1, "there is no kernel: one is written as kernel void name(...)"],
    ["a kernel with a result", "kernel int f(device float* x) {}", 1, "a kernel returns void"],
  ])("%s", (_, source, line, reason) => {
    const shown = source.split("\n")[line - 1]!;
    expect(() => mps.compileShader(source)).toThrow(
      new mps.ShaderError("mps.compileShader", source, line, reason),
    );
    expect(() => mps.compileShader(source)).toThrow(`line ${line}: ${reason}\n  ${line} | ${shown}`);
  });

  it("is printed with its line once, and has the line's number for programs", () => {
    const error = new mps.ShaderError("mps.compileShader", "void f() {}", 1, "there is no kernel");
    expect(error.line).toBe(1);
    expect(inspect(error)).toMatch(
      /^ShaderError: mps\.compileShader: line 1: there is no kernel\n {2}1 \| void f\(\) \{\}\n {4}at /,
    );
    expect(inspect(error)).not.toContain("line: 1 }");
  });

  it.each<[string, string, number]>([
    ["an unknown name", body("int a = 1;\nx[i] = missing;"), 4],
    ["behind a macro", `#define TWICE(a) \\\n  ((a) + (a))\n${body("x[i] = TWICE(missing);")}`, 5],
    [
      "in a template",
      "template <typename T> T twice(T a) {\n  return a.none;\n}\n" + body("x[i] = twice(1.0);"),
      2,
    ],
    ["a text without an end", 'kernel void f(device float* x) {}\n" and', 2],
    ["a comment without an end", "kernel void f(device float* x) {}\n/* and", 2],
    ["a pointer to something else", body("device int* p = x;"), 3],
  ])("C++'s complaint about %s names the user's line", (_, source, line) => {
    expect(() => mps.compileShader(source)).toThrow(`mps.compileShader: line ${line}: `);
    expect(() => mps.compileShader(source)).not.toThrow(/mpslab_shader|_Float16|kernel\.cc/);
  });
});
