// safetensors files: what we write the reference implementation reads, what it writes we read. What is refused is in
// `refusals.test.ts`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { functional as F, nn, serialize, type Tensor, torch } from "../../../../lib/index.ts";
import { bytesOf, type DType } from "../../../../lib/torch/vocabulary/dtype.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-safetensors-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

const root = path.resolve(import.meta.dirname, "../../../..");
const peer = (...args: string[]) =>
  execFileSync(
    path.join(root, ".venv/bin/python"),
    [path.join(import.meta.dirname, "safetensors_peer.py"), ...args],
    {
      encoding: "utf8",
    },
  );

const DTYPES: Readonly<Partial<Record<DType, string>>> = {
  bool: "BOOL",
  uint8: "U8",
  int8: "I8",
  uint16: "U16",
  int16: "I16",
  uint32: "U32",
  int32: "I32",
  uint64: "U64",
  int64: "I64",
  float8_e4m3fn: "F8_E4M3",
  float8_e5m2: "F8_E5M2",
  float16: "F16",
  bfloat16: "BF16",
  float32: "F32",
  float64: "F64",
  complex64: "C64",
};
const dtypes = Object.keys(DTYPES) as DType[];

/** A tensor of a dtype with the bytes 0 and 1 in turn. */
function tensorOf(dtype: DType, shape: number[], first: number): Tensor {
  const bytes = new Uint8Array(shape.reduce((product, size) => product * size, bytesOf(dtype)));
  for (let i = 0; i < bytes.length; i++) bytes[i] = (first + i) % 2;
  const tensor = torch.empty(shape, { dtype });
  if (bytes.length > 0) {
    const { buffer, byteOffset } = tensor.data<Uint8Array>();
    new Uint8Array(buffer, byteOffset, bytes.length).set(bytes);
  }
  return tensor;
}

const hex = (tensor: Tensor) => {
  const { buffer, byteOffset, byteLength } = tensor.data<Uint8Array>();
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString("hex");
};

describe("a file", () => {
  const shapes = { matrix: [2, 3], scalar: [], empty: [0, 4] };
  const all = () =>
    dtypes.flatMap((dtype, index) =>
      Object.entries(shapes).map(
        ([name, shape]) => [`${dtype}.${name}`, tensorOf(dtype, shape, index)] as const,
      ),
    );

  it("of ours is read by the reference implementation: every dtype, scalars, tensors of no element", () => {
    const file = at("ours.safetensors");
    serialize.saveSafetensors(Object.fromEntries(all()), file, { metadata: { format: "pt" } });
    const expected = all().map(([name, tensor]) => [name, [DTYPES[tensor.dtype], tensor.shape, hex(tensor)]]);
    expect(JSON.parse(peer("read", file))).toEqual(Object.fromEntries(expected));
  });

  it("of the reference implementation is read by us", () => {
    const file = at("theirs.safetensors");
    peer("write", file);
    const loaded = serialize.loadSafetensors(file);
    const texts = (tensors: Iterable<readonly [string, Tensor]>) =>
      Object.fromEntries(
        [...tensors].map(([name, tensor]) => [name, [tensor.dtype, tensor.shape, hex(tensor)]]),
      );
    expect(texts(Object.entries(loaded))).toEqual(texts(all()));
    expect(serialize.readSafetensorsHeader(file).metadata).toEqual({ format: "pt", name: "Grüße" });
  });

  it("may be left where it is until its tensors are used, and is not written to", () => {
    const file = at("mapped.safetensors");
    serialize.saveSafetensors({ a: torch.arange(4), b: torch.ones([2, 3]), none: torch.zeros([0, 2]) }, file);
    const mapped = serialize.loadSafetensors(file, { mmap: true });
    expect([mapped["a"]!.tolist(), mapped["b"]!.shape, mapped["none"]!.shape]).toEqual([
      [0, 1, 2, 3],
      [2, 3],
      [0, 2],
    ]);
    mapped["b"]!.fill_(7);
    expect(serialize.loadSafetensors(file)["b"]!.sum().item()).toBe(6);
  });

  it("has each tensor aligned to its elements", () => {
    const file = at("aligned.safetensors");
    serialize.saveSafetensors(Object.fromEntries(all()), file);
    const bytes = readFileSync(file);
    const length = Number(bytes.readBigUInt64LE(0));
    expect(length % 8).toBe(0);
    const header = JSON.parse(bytes.toString("utf8", 8, 8 + length)) as Record<
      string,
      { data_offsets: [number] }
    >;
    for (const [name, tensor] of all()) expect(header[name]!.data_offsets[0] % tensor.itemsize).toBe(0);
  });

  it("holds the elements of a view in row-major order, and of a conjugate what it shows", () => {
    const file = at("views.safetensors");
    const x = torch.tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const z = torch.complex(torch.tensor([1.5]), torch.tensor([2.5]));
    serialize.saveSafetensors({ turned: x.t(), part: x.at(null, 1), conjugate: z.conj() }, file);
    const { turned, part, conjugate } = serialize.loadSafetensors(file);
    expect(turned!.tolist()).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ]);
    expect(part!.tolist()).toEqual([[4, 5, 6]]);
    expect(conjugate!.tolist()).toEqual([{ re: 1.5, im: -2.5 }]);
  });

  it("takes any name for a tensor", () => {
    const file = at("names.safetensors");
    const names = ["", "__proto__", "constructor", "weights/é", '"quoted"', "0"];
    serialize.saveSafetensors(Object.fromEntries(names.map((name) => [name, torch.zeros([1])])), file);
    expect(Object.keys(serialize.loadSafetensors(file)).sort()).toEqual(names.sort());
  });

  it("may hold no tensor at all", () => {
    serialize.saveSafetensors({}, at("none.safetensors"));
    expect(serialize.loadSafetensors(at("none.safetensors"))).toEqual({});
  });

  it("tells what it holds without loading it", () => {
    serialize.saveSafetensors({ w: torch.zeros([3, 4]) }, at("told.safetensors"), {
      metadata: { epoch: "3" },
    });
    expect(serialize.readSafetensorsHeader(at("told.safetensors"))).toEqual({
      metadata: { epoch: "3" },
      tensors: { w: { dtype: "float32", shape: [3, 4] } },
    });
  });

  it("carries a module's state under PyTorch's names into another module of its kind", () => {
    const make = () => new nn.Sequential(new nn.Conv2d(1, 2, 3), new nn.BatchNorm2d(2), new nn.ReLU());
    const [model, twin] = [make(), make()];
    F.relu(model(torch.randn([4, 1, 8, 8]))).sum();
    serialize.saveSafetensors(model.stateDict(), at("model.safetensors"));
    expect(Object.keys(serialize.readSafetensorsHeader(at("model.safetensors")).tensors).sort()).toEqual([
      "0.bias",
      "0.weight",
      "1.bias",
      "1.num_batches_tracked",
      "1.running_mean",
      "1.running_var",
      "1.weight",
    ]);
    expect(twin.loadStateDict(serialize.loadSafetensors(at("model.safetensors")))).toEqual({
      missingKeys: [],
      unexpectedKeys: [],
    });
    const x = torch.randn([1, 1, 8, 8]);
    expect(twin.eval()(x).tolist()).toEqual(model.eval()(x).tolist());
  });

  it("that could not be written leaves the older one as it was, and nothing beside it", () => {
    const file = at("kept.safetensors");
    serialize.saveSafetensors({ x: torch.ones([2]) }, file);
    const disposed = torch.ones([1]);
    disposed.dispose();
    expect(() => serialize.saveSafetensors({ x: torch.zeros([2]), disposed }, file)).toThrow();
    expect(serialize.loadSafetensors(file)["x"]!.tolist()).toEqual([1, 1]);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
