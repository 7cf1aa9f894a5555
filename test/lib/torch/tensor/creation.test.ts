// Tensors from values: inference of dtype and shape as in PyTorch, typed arrays in, factories.
import { describe, expect, it } from "vitest";
import { torch } from "../../../../lib/index.ts";

describe("torch.tensor", () => {
  it.each([
    [3, "int64", []],
    [3.5, "float32", []],
    [true, "bool", []],
    [3n, "int64", []],
    [{ re: 1, im: 2 }, "complex64", []],
    [NaN, "float32", []],
    [1e20, "float32", []],
    [1.764e18, "int64", []],
    [[2 ** 53, 2 ** 62], "int64", [2]],
    [[1, 2 ** 63], "float32", [2]],
    [[1, -(2 ** 63)], "int64", [2]],
    [[-0, 1], "float32", [2]],
    [[true, 2n, 0.5], "float32", [3]],
    [[1, 2, 3], "int64", [3]],
    [[1, 2.5], "float32", [2]],
    [[true, 2], "int64", [2]],
    [[true, false], "bool", [2]],
    [[1, { re: 0, im: 1 }], "complex64", [2]],
    [[], "float32", [0]],
    [[[], []], "float32", [2, 0]],
    [
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      "int64",
      [3, 2],
    ],
    [new Float64Array([1, 2]), "float64", [2]],
    [new BigInt64Array([1n, 2n]), "int64", [2]],
    [new Uint8ClampedArray([1, 2]), "uint8", [2]],
    [[new Float32Array([1, 2]), new Float32Array([3, 4])], "float32", [2, 2]],
    [[[new Uint8Array([1, 2]), [3, 4]]], "int64", [1, 2, 2]],
    [[new Int32Array([1, 2]), new Float32Array([1.5, 2.5])], "float32", [2, 2]],
    [[new Float32Array([1, 2]), new Float64Array([0.1, 2])], "float64", [2, 2]],
    [[[1, 2], new Float32Array([1, 2])], "float32", [2, 2]],
    [[new Int8Array([1, 2]), [1.5, 2.5]], "float32", [2, 2]],
  ] as const)("of %o is %s of shape %o", (values, dtype, shape) => {
    const made = torch.tensor(values);
    expect([made.dtype, made.shape]).toEqual([dtype, shape]);
  });

  it.each([
    [[1, 2], "float32", [1, 2]],
    [[1.9, -1.9], "int64", [1, -1]],
    [[1.5, 2], "float16", [1.5, 2]],
    [[1.5, 2], "bfloat16", [1.5, 2]],
    [[0, 2, NaN], "bool", [false, true, true]],
    [
      [1, 2],
      "complex128",
      [
        { re: 1, im: 0 },
        { re: 2, im: 0 },
      ],
    ],
    [[255], "uint8", [255]],
    [[2n ** 62n], "int64", [2n ** 62n]],
    [[2n ** 64n - 1n, 1], "uint64", [2n ** 64n - 1n, 1]],
    [[16777217, 4294967295], "uint32", [16777217, 4294967295]],
    [[65535], "uint16", [65535]],
  ] as const)("of %o as %s holds %o", (values, dtype, held) => {
    const made = torch.tensor(values, { dtype });
    expect([made.dtype, made.tolist()]).toEqual([dtype, held]);
  });

  it("keeps fractions beside typed arrays of integers, and the sign of zero", () => {
    const rows = [new Int32Array([1, 2]), new Float32Array([1.5, 2.5])];
    expect(torch.tensor(rows).tolist()).toEqual([
      [1, 2],
      [1.5, 2.5],
    ]);
    expect(torch.tensor([-0.0, 0.0]).signbit().tolist()).toEqual([true, false]);
    expect(torch.tensor(Date.UTC(2026, 0) * 1e6).item()).toBe(1767225600000000000n);
  });

  it("copies a typed array", () => {
    const data = new Float32Array([1, 2]);
    const made = torch.tensor(data);
    data[0] = 9;
    expect(made.tolist()).toEqual([1, 2]);
  });

  it("requires gradients when asked to", () => {
    expect(torch.tensor([1.5], { requiresGrad: true }).requiresGrad).toBe(true);
  });

  it.each([
    [
      [[1, 2], [3]],
      "The values are ragged: values[1] is a list of 1, not a list of 2 as its neighbours have.",
    ],
    [[[1, 2], 3], "The values are ragged: values[1] is 3, not a list of 2 as its neighbours have."],
    [[1, [2]], "The values are ragged: values[1] is a list of 1, not a number as its neighbours are."],
    [
      [
        [[1], [2]],
        [[3], [4, 5]],
      ],
      "The values are ragged: values[1][1] is a list of 2, not a list of 1 as its neighbours have.",
    ],
  ])("of %j says where it is ragged", (values, message) => {
    expect(() => torch.tensor(values as never)).toThrow(new RangeError(message));
  });

  it.each([
    [["a"], 'values[0] is "a": a tensor holds numbers, booleans, bigints and { re, im }.'],
    [[null], "values[0] is null: a tensor holds numbers, booleans, bigints and { re, im }."],
    [{ re: "1", im: 2 }, "values is Object: a tensor holds numbers, booleans, bigints and { re, im }."],
    [{ a: 1 }, "values is Object: a tensor holds numbers, booleans, bigints and { re, im }."],
  ])("of %j says what cannot be held", (values, message) => {
    expect(() => torch.tensor(values as never)).toThrow(new TypeError(message));
  });

  it("of tensors names torch.stack", () => {
    expect(() => torch.tensor([torch.ones([1])] as never)).toThrow(
      /Use torch\.stack for a list of tensors\.$/,
    );
  });

  it.each([
    [[300], "uint8", RangeError, "300 does not fit into uint8 (0 to 255)."],
    [[NaN], "int32", RangeError, "NaN does not fit into int32 (-2147483648 to 2147483647)."],
    [[NaN], "int64", RangeError, "NaN has no int64; use a floating dtype."],
    [[2n ** 63n], "int64", RangeError, "9223372036854775808 does not fit into int64."],
    [[-1n], "uint64", RangeError, "-1 does not fit into uint64."],
    [[65536], "uint16", RangeError, "65536 does not fit into uint16 (0 to 65535)."],
    [[{ re: 1, im: 1 }], "float32", TypeError, "A complex value cannot be stored as float32; use complex64."],
  ] as const)("of %o as %s is refused", (values, dtype, kind, message) => {
    expect(() => torch.tensor(values, { dtype })).toThrow(new kind(message));
  });
});

describe("factories", () => {
  it("make float32 unless told otherwise", () => {
    expect(torch.zeros([2, 3]).dtype).toBe("float32");
    expect(torch.ones([2], { dtype: "int32" }).dtype).toBe("int32");
    expect(torch.randn([2]).dtype).toBe("float32");
  });

  it("take a lone number as a size", () => {
    expect(torch.zeros(3).shape).toEqual([3]);
    expect(torch.full(2, 1.5).tolist()).toEqual([1.5, 1.5]);
  });

  it("count in int64 from whole numbers, and in float32 from others", () => {
    expect(torch.arange(3).dtype).toBe("int64");
    expect(torch.arange(0, 1, 0.25).dtype).toBe("float32");
    expect(torch.linspace(0, 1, 3).tolist()).toEqual([0, 0.5, 1]);
  });

  it("fill by the value's type", () => {
    expect(torch.full([1], 1).dtype).toBe("int64");
    expect(torch.full([1], 1e18).item()).toBe(10n ** 18n);
    expect(torch.full([1], 0.5).dtype).toBe("float32");
    expect(Object.is(torch.full([1], -0).item(), -0)).toBe(true);
    expect(torch.full([1], 1n).dtype).toBe("int64");
    expect(torch.full([1], true).dtype).toBe("bool");
    expect(torch.full([1], { re: 0, im: 1 }).dtype).toBe("complex64");
    expect(torch.full([1], 7, { dtype: "int8" }).tolist()).toEqual([7]);
    expect(torch.full([1], 2n ** 64n - 1n, { dtype: "uint64" }).item()).toBe(2n ** 64n - 1n);
  });

  it("require gradients when asked to", () => {
    expect(torch.zeros([2], { requiresGrad: true }).requiresGrad).toBe(true);
    expect(torch.full([2], 0.5, { requiresGrad: true }).requiresGrad).toBe(true);
    expect(torch.zerosLike(torch.ones([2]), { requiresGrad: true }).requiresGrad).toBe(true);
    expect(torch.ones([1]).newZeros([2], { requiresGrad: true }).requiresGrad).toBe(true);
  });

  it("take after another tensor", () => {
    const x = torch.ones([2], { dtype: "float64" });
    expect([torch.zerosLike(x).dtype, x.newZeros([3]).dtype]).toEqual(["float64", "float64"]);
  });

  it("make tensors on the default device", () => {
    torch.setDefaultDevice("meta");
    try {
      expect([torch.zeros([2]).device, torch.tensor([1]).device, torch.full([1], 1).device]).toEqual([
        "meta",
        "meta",
        "meta",
      ]);
      expect(torch.zeros([2], { device: "cpu" }).device).toBe("cpu");
    } finally {
      torch.setDefaultDevice("cpu");
    }
  });
});

it("bigints keep all of an int64 in arithmetic and comparisons", () => {
  const x = torch.tensor([2n ** 53n + 1n, 2n ** 53n]);
  expect(x.eq(2n ** 53n + 1n).tolist()).toEqual([true, false]);
  expect(x.add(1n).tolist()).toEqual([2n ** 53n + 2n, 2n ** 53n + 1n]);
  expect(x.at(0).item()).toBe(2n ** 53n + 1n);
  expect(() => x.add(2n ** 64n)).toThrow(
    new RangeError(
      "add(): argument 'other' must be an integer of 64 bits, but got bigint 18446744073709551616n.",
    ),
  );
});

describe("asTensor", () => {
  it("copies nothing that need not be: a tensor is itself, an array's memory is shared", () => {
    const x = torch.ones([2]);
    expect(torch.asTensor(x)).toBe(x);
    expect(torch.asTensor(x, { dtype: "float64" }).dtype).toBe("float64");
    const array = Float32Array.of(1, 2);
    torch.asTensor(array).add_(1);
    expect([...array]).toEqual([2, 3]);
    expect(torch.asTensor([[1, 2]], { dtype: "float32" }).tolist()).toEqual([[1, 2]]);
  });
});
