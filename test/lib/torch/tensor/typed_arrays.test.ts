// Typed arrays and tensors over one memory, both ways, and how long it stays.
import { describe, expect, it } from "vitest";
import { DeviceMismatchError, torch } from "../../../../lib/index.ts";
import { collectGarbage } from "../../../../lib/torch/engine/garbage.ts";

/** Node 24 and later have the class. Before that, 16-bit floats are their bits. */
const Float16 = (globalThis as { Float16Array?: typeof Uint16Array }).Float16Array ?? Uint16Array;

const x = torch.tensor(
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  { dtype: "float32" },
);

describe("data", () => {
  it("is the tensor's own memory where that is in order", () => {
    const y = torch.ones([2, 2]);
    const data = y.data();
    expect(data).toBeInstanceOf(Float32Array);
    data[3] = 9;
    expect(y.tolist()).toEqual([
      [1, 1],
      [1, 9],
    ]);
  });

  it("is a copy in row-major order where it is not", () => {
    expect([...x.t().data()]).toEqual([1, 4, 2, 5, 3, 6]);
  });

  it("of a part begins at the part", () => {
    expect([...x.at(1).data()]).toEqual([4, 5, 6]);
  });

  it("stays readable after the tensor is gone", () => {
    const disposed = torch.full([1000], 3.5);
    const arrays = [disposed.data(), torch.full([1000], 3.5).data()];
    disposed.dispose();
    collectGarbage("full");
    torch.full([1000], 4);
    expect(arrays.map((data) => data[999])).toEqual([3.5, 3.5]);
  });

  it.each([
    ["bool", Uint8Array, 2],
    ["uint8", Uint8Array, 2],
    ["int8", Int8Array, 2],
    ["int16", Int16Array, 2],
    ["uint16", Uint16Array, 2],
    ["int32", Int32Array, 2],
    ["uint32", Uint32Array, 2],
    ["int64", BigInt64Array, 2],
    ["uint64", BigUint64Array, 2],
    ["float16", Float16, 2],
    ["bfloat16", Uint16Array, 2],
    ["float32", Float32Array, 2],
    ["float64", Float64Array, 2],
    ["float8_e5m2", Uint8Array, 2],
    ["complex64", Float32Array, 4],
    ["complex128", Float64Array, 4],
  ] as const)("of %s is a %o, and a tensor over that array is the same again", (dtype, kind, length) => {
    const x = torch.tensor([1, 0], { dtype });
    const data = x.data();
    expect(data).toBeInstanceOf(kind);
    expect(data).toHaveLength(length);
    const again = torch.fromTypedArray(data, [2], { dtype });
    expect([again.dtype, again.tolist()]).toEqual([dtype, x.tolist()]);
    expect(again.untypedStorage().dataPtr).toBe(x.untypedStorage().dataPtr);
  });

  it("of a sparse tensor is refused", () => {
    const sparse = torch.eye(2).toSparse();
    expect(sparse.layout).toBe("sparse_coo");
    expect(() => sparse.data()).toThrow(
      new TypeError("A sparse_coo tensor has no values in row-major order; call .toDense() first."),
    );
    expect(sparse.toDense().tolist()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it("of a quantized tensor is refused", () => {
    const quantized = torch.quantizePerTensor(torch.ones([2]), 0.5, 0, "quint8");
    expect(() => quantized.data()).toThrow(
      new TypeError("No typed array holds quint8 elements; intRepr() gives them as integers."),
    );
    expect([...quantized.intRepr().data<Uint8Array>()]).toEqual([2, 2]);
  });

  it("of a tensor on another device is refused, and the way named", () => {
    expect(() => torch.ones([2], { device: "meta" }).data()).toThrow(
      new DeviceMismatchError(
        "data() reads memory of the CPU, and this tensor is on meta; call .cpu() first: x.cpu().data().",
      ),
    );
  });

  it("of an empty tensor is empty", () => {
    expect(torch.zeros([0, 3]).data()).toHaveLength(0);
  });
});

describe("torch.fromTypedArray", () => {
  it("shares the array's memory", () => {
    const data = new Float32Array([1, 2, 3, 4]);
    const x = torch.fromTypedArray(data, [2, 2]);
    x.mul_(10);
    expect([...data]).toEqual([10, 20, 30, 40]);
    data[0] = 7;
    expect(x.tolist()).toEqual([
      [7, 20],
      [30, 40],
    ]);
  });

  it("is told what bits mean", () => {
    expect(torch.fromTypedArray(new Uint16Array([0x3c00]), 1, { dtype: "float16" }).tolist()).toEqual([1]);
    expect(torch.fromTypedArray(new Uint16Array([0x3f80]), 1, { dtype: "bfloat16" }).tolist()).toEqual([1]);
    expect(torch.fromTypedArray(new Uint8Array([0, 1]), 2, { dtype: "bool" }).tolist()).toEqual([
      false,
      true,
    ]);
    expect(torch.fromTypedArray(new Float32Array([1, 2]), 1, { dtype: "complex64" }).tolist()).toEqual([
      { re: 1, im: 2 },
    ]);
  });

  it("converts, by a copy, to another dtype", () => {
    expect(torch.fromTypedArray(new Uint8Array([0, 255]), [2], { dtype: "float32" }).tolist()).toEqual([
      0, 255,
    ]);
  });

  it("checks the shape", () => {
    expect(() => torch.fromTypedArray(new Float32Array(5), [2, 3])).toThrow(
      new RangeError("A float32 tensor of shape [2, 3] holds 6 values; the Float32Array has 5."),
    );
  });

  it("does not let the memory be taken away", () => {
    const data = new Float32Array([1, 2]);
    const x = torch.fromTypedArray(data);
    try {
      structuredClone(data.buffer, { transfer: [data.buffer] });
    } catch (error) {
      // Node 20 copies, later ones refuse.
      expect((error as Error).name).toBe("DataCloneError");
    }
    expect([data.length, x.tolist()]).toEqual([2, [1, 2]]);
    const resizable = new (ArrayBuffer as unknown as new (bytes: number, options: object) => ArrayBuffer)(8, {
      maxByteLength: 16,
    });
    expect(() => torch.fromTypedArray(new Float32Array(resizable))).toThrow(
      new TypeError(
        "The array's buffer can be resized, which would take memory away from the tensor: torch.tensor() copies it.",
      ),
    );
  });

  it("shares memory between threads too", () => {
    const data = new Float32Array(new SharedArrayBuffer(8));
    torch.fromTypedArray(data).fill_(3);
    expect([...data]).toEqual([3, 3]);
  });

  it("leaves the array its memory when the tensor is disposed", () => {
    const data = new Float32Array([1, 2]);
    torch.fromTypedArray(data).dispose();
    expect([...data]).toEqual([1, 2]);
  });

  it("keeps the array's memory alive", () => {
    const tensors = Array.from({ length: 20 }, (_, at) =>
      torch.fromTypedArray(new Float32Array(100_000).fill(at), [100_000]),
    );
    collectGarbage("full");
    expect(tensors.map((x) => x.at(99_999).item())).toEqual(Array.from({ length: 20 }, (_, at) => at));
  });
});
