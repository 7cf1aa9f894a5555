// Custom kernels on a Metal device: on a Mac PyTorch compiles and runs them, simulated by the host's compiler. The same
// sources and the same numbers on both.
import { describe, expect, it } from "vitest";
import { mps, torch } from "../../lib/index.ts";
import { device, expectNear } from "./device_under_test.ts";

const here = device === "mps";
const on = (values: number[]) => torch.tensor(values, { dtype: "float32" }).to(device);

const BASICS = `
#include <metal_stdlib>
using namespace metal;

kernel void full(device float* out, constant float& val, uint idx [[thread_position_in_grid]]) {
  out[idx] = val;
}

kernel void add(const device float* a [[buffer(0)]], const device float* b [[buffer(1)]], device float* out [[buffer(2)]],
                constant uint& n [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  if (i < n) out[i] = a[i] + b[i];
}

kernel void where_am_i(device int* out, uint2 at [[thread_position_in_grid]], uint2 grid [[threads_per_grid]],
                       uint2 in [[thread_position_in_threadgroup]], uint2 group [[threadgroup_position_in_grid]],
                       uint2 size [[threads_per_threadgroup]], uint index [[thread_index_in_threadgroup]]) {
  device int* own = &out[5 * (at.y * grid.x + at.x)];
  own[0] = at.y * 10 + at.x;
  own[1] = group.y * 10 + group.x;
  own[2] = in.y * 10 + in.x;
  own[3] = size.y * 10 + size.x;
  own[4] = index;
}

kernel void cube(device int* out, uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]]) {
  out[(at.z * grid.y + at.y) * grid.x + at.x] = at.x + 10 * at.y + 100 * at.z;
}
`;

describe.skipIf(!here)("mps.compileShader", () => {
  it("runs the kernel of PyTorch's documentation", () => {
    const library = mps.compileShader(
      "kernel void full(device float* out, constant float& val, uint idx [[thread_position_in_grid]]) { out[idx] = val; }",
    );
    const x = torch.zeros([16], { device });
    library["full"]!(x, 3.14);
    expectNear(x, torch.full([16], 3.14));
  });

  it("lists its kernels, each with its limits", () => {
    const library = mps.compileShader(BASICS);
    expect(Object.keys(library).sort()).toEqual(["add", "cube", "full", "where_am_i"]);
    const { maxThreadsPerThreadgroup, threadExecutionWidth, staticThreadgroupMemoryLength } =
      library["full"]!;
    expect([maxThreadsPerThreadgroup, threadExecutionWidth, staticThreadgroupMemoryLength]).toEqual([
      1024, 32, 0,
    ]);
    expect(() => library["fill"]).toThrow(/^The library has no kernel "fill"; it has .*full/);
  });

  it("gives the same library for the same source", () => {
    expect(mps.compileShader(BASICS)).toBe(mps.compileShader(BASICS));
  });

  it("adds two vectors, with more threads than elements", () => {
    const [a, b] = [torch.rand([1000], { device }), torch.rand([1000], { device })];
    const out = torch.zeros([1000], { device });
    mps.compileShader(BASICS)["add"]!(a, b, out, 1000, { threads: 1024, groupSize: 64 });
    expectNear(out, a.add(b));
  });

  it("runs in the order of the queue, between operators", () => {
    const x = torch.ones([4], { device });
    const { full } = mps.compileShader(BASICS);
    x.mul_(2);
    full!(x, 5);
    x.add_(1);
    full!(x.at(torch.slice(1, 2)), 9);
    expect(x.tolist()).toEqual([6, 9, 6, 6]);
  });

  it("tells each thread of a plane where it is, at the grid's edge too", () => {
    const out = torch.zeros([3, 5, 5], { dtype: "int32", device });
    mps.compileShader(BASICS)["where_am_i"]!(out, { threads: [5, 3], groupSize: [4, 2] });
    expect(out.at(0, 0).tolist()).toEqual([0, 0, 0, 24, 0]);
    expect(out.at(2, 4).tolist()).toEqual([24, 11, 0, 11, 0]);
    expect(out.at(1, 2).tolist()).toEqual([12, 0, 12, 24, 6]);
    expect(out.at(2, 1).tolist()).toEqual([21, 10, 1, 14, 1]);
  });

  it("runs grids of three dimensions", () => {
    const out = torch.zeros([2, 3, 4], { dtype: "int32", device });
    mps.compileShader(BASICS)["cube"]!(out, { threads: [4, 3, 2], groupSize: [2, 2, 2] });
    expect(out.at(1, 2).tolist()).toEqual([120, 121, 122, 123]);
    expect(out.at(0, 1).tolist()).toEqual([10, 11, 12, 13]);
  });

  it("takes a view from its first element", () => {
    const x = torch.zeros([6], { device });
    mps.compileShader(BASICS)["full"]!(x.at(torch.slice(2, 4)), 1);
    expect(x.tolist()).toEqual([0, 0, 1, 1, 0, 0]);
  });

  it("queues nothing for no threads", () => {
    const x = torch.zeros([2], { device });
    mps.compileShader(BASICS)["full"]!(x, 1, { threads: 0 });
    expect(x.tolist()).toEqual([0, 0]);
  });
});

const CONSTANTS = `
using namespace metal;
kernel void numbers(device float* out, constant float& a, constant int& b, constant half& c, constant uint3& d,
                    constant long* e, constant bool& f, uint i [[thread_position_in_grid]]) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d.x * 100 + d.y * 10 + d.z;
  out[4] = e[0] - e[1];
  out[5] = f ? 1 : 0;
}
template <typename T>
kernel void fill(device T* out, constant T& value, uint i [[thread_position_in_grid]]) { out[i] = value; }
template [[host_name("fill_float")]] kernel void fill<float>(device float*, constant float&, uint);
template [[host_name("fill_half")]] kernel void fill<half>(device half*, constant half&, uint);
template [[host_name("fill_int")]] kernel void fill<int>(device int*, constant int&, uint);
`;

describe.skipIf(!here)("constants of a kernel", () => {
  it("are bound as the kernel has them, whole numbers and others", () => {
    const out = torch.zeros([6], { device });
    mps.compileShader(CONSTANTS)["numbers"]!(out, 2, -7, 0.25, [1, 2, 3], [10n, 3n], true, { threads: 1 });
    expect(out.tolist()).toEqual([2, -7, 0.25, 123, 7, 1]);
  });

  it("of a template are bound as its instance has them", () => {
    const library = mps.compileShader(CONSTANTS);
    const float = torch.zeros([2], { device });
    const half = torch.zeros([2], { device, dtype: "float16" });
    const int = torch.zeros([2], { device, dtype: "int32" });
    library["fill_float"]!(float, 3);
    library["fill_half"]!(half, 1.5);
    library["fill_int"]!(int, -4);
    expect([float.tolist(), half.tolist(), int.tolist()]).toEqual([
      [3, 3],
      [1.5, 1.5],
      [-4, -4],
    ]);
  });

  it("are bound as argCasts says, for all or by index", () => {
    const x = torch.zeros([1], { device, dtype: "int32" });
    const library = mps.compileShader(CONSTANTS);
    library["fill_int"]!(x, 1.5, { argCasts: { 1: "float32" } });
    // The bits of a float as those of an int.
    expect(x.item()).toBe(0x3fc00000);
    library["fill_int"]!(x, -1, { argCasts: "int32" });
    expect(x.item()).toBe(-1);
  });
});

const SHARED = `
#include <metal_stdlib>
using namespace metal;
constant constexpr uint TILE = 8;

kernel void multiply(const device float* a, const device float* b, device float* c, constant uint3& sizes,
                     uint2 at [[thread_position_in_grid]], uint2 in [[thread_position_in_threadgroup]]) {
  threadgroup float rows[TILE][TILE];
  threadgroup float columns[TILE][TILE];
  const uint m = sizes.x, k = sizes.y, n = sizes.z;
  float sum = 0.0;
  for (uint tile = 0; tile < k; tile += TILE) {
    const device float* row = &a[at.y * k + tile];
    rows[in.y][in.x] = at.y < m && tile + in.x < k ? row[in.x] : 0.0;
    columns[in.y][in.x] = at.x < n && tile + in.y < k ? b[(tile + in.y) * n + at.x] : 0.0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < TILE; i++) sum += rows[in.y][i] * columns[i][in.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (at.y < m && at.x < n) c[at.y * n + at.x] = sum;
}

kernel void reduce(const device float* x, device float* sums, constant uint& n, uint i [[thread_position_in_grid]],
                   uint in [[thread_position_in_threadgroup]], uint size [[threads_per_threadgroup]],
                   uint group [[threadgroup_position_in_grid]]) {
  threadgroup float part[256];
  part[in] = i < n ? x[i] : 0.0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint half_size = size / 2; half_size > 0; half_size /= 2) {
    if (in < half_size) part[in] += part[in + half_size];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  if (in == 0) sums[group] = part[0];
}

kernel void lanes(const device int* x, device int* out, uint i [[thread_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
  out[5 * i] = simd_sum(x[i]);
  out[5 * i + 1] = simd_max(x[i]);
  out[5 * i + 2] = simd_shuffle_xor(x[i], ushort(1));
  out[5 * i + 3] = simd_broadcast(x[i], ushort(3));
  out[5 * i + 4] = group * 100 + lane;
}

kernel void count(const device int* x, device atomic_int* bins, uint i [[thread_position_in_grid]]) {
  atomic_fetch_add_explicit(&bins[x[i]], 1, memory_order_relaxed);
}
`;

describe.skipIf(!here)("threads that work together", () => {
  it("multiply matrices in tiles of threadgroup memory, at the edges too", () => {
    const { multiply } = mps.compileShader(SHARED);
    expect(multiply!.staticThreadgroupMemoryLength).toBe(2 * 8 * 8 * 4);
    const [m, k, n] = [21, 30, 13];
    const [a, b] = [torch.rand([m, k], { device }), torch.rand([k, n], { device })];
    const c = torch.zeros([m, n], { device });
    multiply!(a, b, c, [m, k, n], { threads: [16, 24], groupSize: [8, 8] });
    expectNear(c, a.mm(b));
  });

  it("sum a vector by halves", () => {
    const x = torch.rand([1000], { device });
    const sums = torch.zeros([4], { device });
    mps.compileShader(SHARED)["reduce"]!(x, sums, 1000, { threads: 1024, groupSize: 256 });
    expectNear(sums.sum(), x.sum());
  });

  it("see each other's values in a SIMD-group", () => {
    const x = torch.arange(0, 64, 1, { dtype: "int32", device });
    const out = torch.zeros([64, 5], { dtype: "int32", device });
    mps.compileShader(SHARED)["lanes"]!(x, out, { threads: 64, groupSize: 64 });
    expect(out.at(0).tolist()).toEqual([496, 31, 1, 3, 0]);
    expect(out.at(33).tolist()).toEqual([1520, 63, 32, 35, 101]);
  });

  it("count into bins without losing one", () => {
    const x = torch.randint(0, 4, [10_000], { dtype: "int32" });
    const bins = torch.zeros([4], { dtype: "int32", device });
    mps.compileShader(SHARED)["count"]!(x.to(device), bins, { threads: 10_000 });
    expect(bins.tolist()).toEqual(torch.bincount(x).tolist());
  });
});

const TYPES = `
#include <metal_stdlib>
using namespace metal;

kernel void vectors(device float4* v, device half2* h, uint i [[thread_position_in_grid]]) {
  float4 x = v[i];
  x.xy = x.yx * 2.0 + float2(1, 2);
  x.zw += 1.0;
  x.w *= 2;
  v[i] = x;
  h[i] = half2(x.xy) + half2(0.5h);
}

kernel void geometry(device float* out, const device packed_float3* p) {
  const float3 a = p[0], b = p[1];
  out[0] = dot(a, b);
  out[1] = length(a);
  out[2] = cross(a, b).z;
  out[3] = all(a < b) ? 1 : 0;
  out[4] = normalize(b).y;
}

kernel void mathematics(device float* out, device half* rounded, constant float& x) {
  out[0] = clamp(x, 0.0, 1.0);
  out[1] = mix(1.0, 3.0, 0.25);
  out[2] = fma(x, 2.0, 1.0);
  out[3] = rsqrt(4.0);
  out[4] = max(x, 0.5) + min(x, 0.5);
  out[5] = precise::exp(fabs(x)) - fast::exp(abs(x));
  out[6] = select(1.0, 2.0, x > 1.0);
  out[7] = as_type<float>(as_type<uint>(x)) - x;
  out[8] = popcount(255u) + clz(1u);
  out[9] = isnan(NAN) + isinf(INFINITY);
  rounded[0] = half(1.0h / 3.0h);
  rounded[1] = numeric_limits<half>::max();
}

kernel void brain(device bfloat* x, uint i [[thread_position_in_grid]]) { x[i] = bfloat(float(x[i]) * 3.0f); }
`;

describe.skipIf(!here)("Metal's types", () => {
  it("have lanes and swizzles", () => {
    const v = on([1, 2, 3, 4, 5, 6, 7, 8]);
    const h = torch.zeros([4], { device, dtype: "float16" });
    mps.compileShader(TYPES)["vectors"]!(v, h, { threads: 2 });
    expect(v.tolist()).toEqual([5, 4, 4, 10, 13, 12, 8, 18]);
    expect(h.tolist()).toEqual([5.5, 4.5, 13.5, 12.5]);
  });

  it("have geometry, packed vectors included", () => {
    const out = torch.zeros([5], { device });
    mps.compileShader(TYPES)["geometry"]!(out, on([1, 2, 2, 4, 3, 5]), { threads: 1 });
    expectNear(out, torch.tensor([20, 3, -5, 1, 3 / Math.sqrt(50)], { dtype: "float32" }));
  });

  it("have mathematics, and 1.0 is a float", () => {
    const out = torch.zeros([10], { device });
    const rounded = torch.zeros([2], { device, dtype: "float16" });
    mps.compileShader(TYPES)["mathematics"]!(out, rounded, 1.5, { threads: 1 });
    expectNear(out, torch.tensor([1, 1.5, 4, 0.5, 2, 0, 2, 0, 39, 2], { dtype: "float32" }));
    expect(rounded.tolist()).toEqual([0.333251953125, 65504]);
  });

  it("have bfloat", () => {
    const x = torch.ones([3], { device, dtype: "bfloat16" });
    mps.compileShader(TYPES)["brain"]!(x);
    expect(x.tolist()).toEqual([3, 3, 3]);
  });
});

describe.skipIf(!here)("PyTorch's own headers", () => {
  it("are there for kernels", () => {
    const { erfs } = mps.compileShader(`
#include <c10/metal/special_math.h>
#include <c10/metal/utils.h>
kernel void erfs(device float* out, const device float* x, uint i [[thread_position_in_grid]]) {
  out[i] = c10::metal::erf(x[i]);
}`);
    const x = torch.linspace(-2, 2, 9);
    const out = torch.zeros([9], { device });
    erfs!(out, x.to(device));
    expectNear(out, x.erf());
  });

  it("reduce a group's values with them", () => {
    const { sum } = mps.compileShader(`
#include <c10/metal/reduction_utils.h>
kernel void sum(device float* out, const device float* x, uint i [[thread_position_in_grid]],
                uint size [[threads_per_threadgroup]]) {
  threadgroup float shared[c10::metal::simdgroup_size];
  const float total = c10::metal::threadgroup_sum(shared, x[i], i, size);
  if (i == 0) out[0] = total;
}`);
    const x = torch.rand([256], { device });
    const out = torch.zeros([1], { device });
    sum!(out, x, { threads: 256, groupSize: 256 });
    expectNear(out, x.sum().view([1]));
  });
});
