// Files of PyTorch's torch.save: what test/fixtures/torch_files.py wrote, and what in such files is not read.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nn, serialize, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const fixtures = path.join(import.meta.dirname, "../../../fixtures/torch_files");
const at = (name: string) => path.join(fixtures, name);
const load = (name: string, options = {}) => serialize.loadTorch(at(name), options) as Record<string, Tensor>;
const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-torch-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a file of torch.save", () => {
  it("holds a module's state, which a module of ours loads unchanged", () => {
    const state = load("state_dict.pt");
    expect(Object.keys(state)).toEqual([
      "0.weight",
      "0.bias",
      "1.weight",
      "1.bias",
      "1.running_mean",
      "1.running_var",
      "1.num_batches_tracked",
    ]);
    const model = new nn.Sequential(new nn.Linear(3, 2), new nn.BatchNorm1d(2));
    expect(model.loadStateDict(state)).toEqual({ missingKeys: [], unexpectedKeys: [] });
    expect(model.stateDict()["0.weight"]!.tolist()).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
    expect(model.stateDict()["1.bias"]!.tolist()).toEqual([30, 31]);
  });

  it("holds a checkpoint: states of model and optimizer, and numbers", () => {
    const { model, optimizer, epoch, best } = load("checkpoint.pt") as never as {
      model: Record<string, Tensor>;
      optimizer: {
        state: Record<number, { step: Tensor; exp_avg: Tensor }>;
        param_groups: { lr: number; params: number[] }[];
      };
      epoch: number;
      best: number;
    };
    expect([epoch, best, Object.keys(model).length]).toEqual([3, 0.5, 7]);
    expect(optimizer.param_groups[0]).toMatchObject({ lr: 0.25, params: [0, 1, 2, 3] });
    expect(optimizer.state[0]!.step.item()).toBe(1);
    expect(optimizer.state[3]!.exp_avg.shape).toEqual([2]);
  });

  it("holds tensors of every dtype", () => {
    const tensors = load("dtypes.pt");
    for (const [dtype, tensor] of Object.entries(tensors)) expect(tensor.dtype).toBe(dtype);
    expect(Object.keys(tensors)).toHaveLength(17);
    const { bool, bfloat16, complex64, float8_e5m2, uint16, ...others } = tensors;
    expect(bool!.tolist()).toEqual([false, true, false, true]);
    expect(bfloat16!.float().tolist()).toEqual([0, 1, 0, 1]);
    expect(float8_e5m2!.float().tolist()).toEqual([0, 1, 0, 1]);
    expect(uint16!.to("int64").tolist()).toEqual([0, 1, 0, 1]);
    expect(complex64!.tolist()).toEqual([0, 1, 0, 1].map((re) => ({ re, im: 0 })));
    expect(others["float64"]!.tolist()).toEqual([0, 1, 0, 1]);
  });

  it.each([
    ["read", {}],
    ["left in the file", { mmap: true }],
  ])("keeps strides and shared memory of views, %s", (_, options) => {
    const {
      base,
      row,
      transposed,
      again,
      "every second": second,
    } = load("views.pt", options) as Record<string, Tensor>;
    expect([transposed!.shape, transposed!.isContiguous()]).toEqual([[4, 3], false]);
    expect(second!.tolist()).toEqual([0, 2, 4, 6, 8, 10]);
    expect(again).toBe(base);
    base!.at(1).fill_(7);
    expect([row!.tolist(), transposed!.at(0).tolist()]).toEqual([
      [7, 7, 7, 7],
      [0, 7, 8],
    ]);
    // The writes changed the memory, and not the file.
    expect(load("views.pt", options)["row"]!.tolist()).toEqual([4, 5, 6, 7]);
  });

  it.each(["containers.pt", "containers_protocol_4.pt"])("holds plain values: %s", (name) => {
    const { empty, scalar, parameter, leaf, ...plain } = load(name);
    expect(plain).toEqual({
      numbers: [0, -1, 300, 70_000, -70_000, 2 ** 40, 2n ** 70n, -(2n ** 70n), 1.5, Infinity],
      tuples: [[], [1], [1, 2], [1, 2, 3], [1, 2, 3, 4]],
      nested: JSON.parse('{ "a": { "b": [null, true, false] }, "__proto__": 1 }') as unknown,
      text: "Grüße 🙂",
      complex: { re: 1, im: 2 },
      size: [2, 3],
      dtype: "float16",
      device: "cpu",
      7: "an integer key",
      bytes: Uint8Array.of(0, 255),
    });
    expect(Object.getPrototypeOf(plain["nested"])).toBe(Object.prototype);
    expect([empty!.shape, scalar!.item(), scalar!.dtype]).toEqual([[0, 3], 5, "int64"]);
    expect([parameter!.requiresGrad, leaf!.requiresGrad, parameter!.tolist()]).toEqual([true, true, [1, 1]]);
  });

  it("is loaded by torch.load, as a safetensors file is; torch.save writes one", () => {
    expect((torch.load(at("tensor.pt")) as Tensor).tolist()).toEqual([0, 1, 2]);
    expect(torch.load<Tensor>(at("tensor.pt"), { mapLocation: "meta" }).device).toBe("meta");
    const file = path.join(folder, "saved.safetensors");
    torch.save({ a: torch.ones([2]) }, file);
    const loaded = torch.load(file) as Record<string, Tensor>;
    expect(loaded["a"]!.tolist()).toEqual([1, 1]);
  });
});

describe("what is refused", () => {
  const refused = (name: string, reason: string): Parameters<typeof refuses>[0][number] => [
    name,
    () => {
      try {
        return load(name);
      } catch (error) {
        throw Object.assign(new Error((error as Error).message.replace(fixtures, "")), {
          kind: (error as Error).name,
        });
      }
    },
    "Error",
    `/${name} cannot be loaded: ${reason}`,
  ];
  const only = (name: string) =>
    `it holds a ${name}, and only tensors, dicts, lists, tuples, numbers and strings are read, since anything else would be code to run; save model.state_dict() in PyTorch instead.`;
  refuses([
    refused(
      "legacy.pt",
      "it is of the format before PyTorch 1.6, which is not read; load it with PyTorch and save it again.",
    ),
    refused(
      "tar.pt",
      "it is of the tar format of PyTorch 0.1, which is not read; load it with PyTorch and save it again.",
    ),
    refused("module.pt", only("torch.nn.modules.container.Sequential")),
    refused("class.pt", only("__main__.Unknown")),
    refused("numpy.pt", only("numpy._core.multiarray.scalar")),
    refused("set.pt", only("__builtin__.set")),
    refused("tuple_key.pt", "it has a dict whose key is a tuple; only strings and integers are read."),
    [
      "a number for a path",
      () => serialize.loadTorch(3 as never),
      "TypeError",
      "loadTorch: the file must be a path, got 3.",
    ],
    [
      "a misspelt option",
      () => serialize.loadTorch("a.pt", { map: true } as never),
      "TypeError",
      'loadTorch: unknown option "map"; it takes device, mapLocation, weightsOnly, mmap.',
    ],
    [
      "a device under two names",
      () => serialize.loadTorch("a.pt", { device: "cpu", mapLocation: "cpu" }),
      "TypeError",
      "loadTorch: device and mapLocation are one option; give one of them.",
    ],
    [
      "a function that places each tensor",
      () => torch.load(at("tensor.pt"), { mapLocation: ((storage: unknown) => storage) as never }),
      "TypeError",
      'loadTorch: mapLocation is one device for all tensors, as "cpu", got the function mapLocation; move them one by one after loading.',
    ],
    [
      "saving what is no object of tensors",
      () => torch.save(torch.ones([1]), "a.safetensors"),
      "TypeError",
      "torch.save: safetensors files hold tensors by their names, but got a Tensor; give an object of tensors, as model.stateDict(), or a path that ends in .pt.",
    ],
    [
      "saving a number",
      () => torch.save({ epoch: 3 }, "a.safetensors"),
      "TypeError",
      'torch.save: safetensors files hold tensors by their names, but "epoch" is 3; give an object of tensors, as model.stateDict(), or a path that ends in .pt.',
    ],
  ]);
});
