// Tests what torch.save writes: read back here, and by Python's own zipfile and pickle.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { nn, optim, serialize, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "mpslab-torch-writer-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => path.join(folder, name);

function saved<Value>(value: Value): Value {
  torch.save(value, at("value.pt"));
  return torch.load(at("value.pt")) as Value;
}

interface PeerReading {
  readonly damaged: string | null;
  readonly records: Record<string, [bytes: number, misalignment: number]>;
  readonly value: unknown;
}

const root = path.resolve(import.meta.dirname, "../../../..");
function readInPython(value: unknown): PeerReading {
  torch.save(value, at("peer.pt"));
  const peer = path.join(import.meta.dirname, "torch_file_peer.py");
  const printed = execFileSync(path.join(root, ".venv/bin/python"), [peer, at("peer.pt")], {
    encoding: "utf8",
  });
  return JSON.parse(printed) as PeerReading;
}

describe("torch.save", () => {
  it("writes a checkpoint that is read back: model, optimizer, schedule, numbers", () => {
    const model = new nn.Sequential(new nn.Linear(3, 4), new nn.BatchNorm1d(4), new nn.Linear(4, 1));
    const optimizer = new optim.AdamW(model.parameters(), { lr: 0.5 });
    const schedule = new optim.lrScheduler.StepLR(optimizer, 1, 0.5);
    model(torch.ones([5, 3]))
      .sum()
      .backward();
    optimizer.step();
    schedule.step();
    const checkpoint = saved({
      model: model.stateDict(),
      optimizer: optimizer.stateDict(),
      schedule: schedule.stateDict(),
      epoch: 7,
    });

    const again = new nn.Sequential(new nn.Linear(3, 4), new nn.BatchNorm1d(4), new nn.Linear(4, 1));
    again.loadStateDict(checkpoint.model);
    const resumed = new optim.AdamW(again.parameters());
    resumed.loadStateDict(checkpoint.optimizer);
    const resumedSchedule = new optim.lrScheduler.StepLR(resumed, 1, 0.5);
    resumedSchedule.loadStateDict(checkpoint.schedule);
    for (const [network, trained, rates] of [
      [model, optimizer, schedule],
      [again, resumed, resumedSchedule],
    ] as const) {
      trained.zeroGrad();
      network(torch.arange(15).float().view([5, 3]))
        .sum()
        .backward();
      trained.step();
      rates.step();
    }
    for (const [key, tensor] of Object.entries(model.stateDict()))
      expect(tensor.equal(again.stateDict()[key]!), key).toBe(true);
    expect([resumed.paramGroups[0]!.lr, resumedSchedule.getLastLr(), checkpoint.epoch]).toEqual([
      0.125,
      [0.125],
      7,
    ]);
  });

  it("writes plain values of every kind", () => {
    const values = {
      numbers: [0, -0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 0.1, Infinity, -Infinity, NaN],
      bigints: [2n ** 63n, -(2n ** 63n), 2n ** 200n],
      words: ["", "Grüße 🙂", "\0"],
      truths: [true, false, null],
      nested: { empty: {}, none: [], deep: { deeper: [{ deepest: 1 }] } },
      ["__proto__"]: "a key like any other",
    };
    expect(saved(values)).toEqual(values);
    expect(saved({ missing: undefined })).toEqual({ missing: null });
    expect(saved(3)).toBe(3);
    expect(saved(new Map([["a", 1]]))).toEqual({ a: 1 });
  });

  it("writes tensors of every dtype, any strides, and complex conjugates", () => {
    const base = torch.arange(12).float().view([3, 4]);
    const tensors: Record<string, Tensor> = {
      transposed: base.t(),
      part: base.at(1, torch.slice(1, 3)),
      expanded: torch.ones([1, 2]).expand([3, 2]),
      scalar: torch.tensor(5),
      empty: torch.zeros([0, 3]),
      conjugate: torch.tensor([{ re: 1, im: 2 }]).conj(),
    };
    const dtypes =
      "float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 uint16 uint32 uint64 bool complex64 complex128 float8_e4m3fn float8_e5m2";
    for (const dtype of dtypes.split(" ")) tensors[dtype] = torch.tensor([0, 1]).to(dtype as "float32");
    for (const [name, tensor] of Object.entries(saved(tensors))) {
      expect([name, tensor.dtype, tensor.shape]).toEqual([name, tensors[name]!.dtype, tensors[name]!.shape]);
      expect(tensor.to("complex128").equal(tensors[name]!.to("complex128")), name).toBe(true);
    }
  });

  it("keeps what is shared: tensors over one memory, and leaves that require gradients", () => {
    const base = torch.zeros([3]);
    const { whole, part, leaf, result } = saved({
      whole: base,
      part: base.at(torch.slice(1, 2)),
      leaf: new nn.Parameter(torch.ones([1])),
      result: new nn.Parameter(torch.ones([1])).mul(2),
    });
    part.fill_(7);
    expect(whole.tolist()).toEqual([0, 7, 0]);
    expect([leaf.requiresGrad, result.requiresGrad, result.item()]).toEqual([true, false, 2]);
  });

  it("writes safetensors where the name says so, and PyTorch's format anywhere else", () => {
    torch.save({ a: torch.ones([1]) }, at("a.safetensors"));
    expect(serialize.readSafetensorsHeader(at("a.safetensors")).tensors).toEqual({
      a: { dtype: "float32", shape: [1] },
    });
    torch.save(torch.ones([1]), at("model.bin"));
    expect((serialize.loadTorch(at("model.bin")) as Tensor).item()).toBe(1);
  });

  it("leaves the older file as it was when something cannot be written", () => {
    torch.save({ a: 1 }, at("older.pt"));
    const { size } = statSync(at("older.pt"));
    expect(() => torch.save({ a: 1, b: () => 2 }, at("older.pt"))).toThrow(TypeError);
    expect(statSync(at("older.pt")).size).toBe(size);
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("Python reads", () => {
  it("an archive whose records are whole and begin at multiples of 64 bytes", () => {
    const { damaged, records } = readInPython({
      a: torch.ones([3]),
      b: torch.zeros([2, 2], { dtype: "float64" }),
    });
    expect(damaged).toBeNull();
    expect(Object.entries(records).map(([name, [, misalignment]]) => [name, misalignment])).toEqual([
      ["archive/data.pkl", 0],
      ["archive/byteorder", 0],
      ["archive/data/0", 0],
      ["archive/data/1", 0],
      ["archive/version", 0],
    ]);
    expect([records["archive/data/0"]![0], records["archive/data/1"]![0]]).toEqual([12, 32]);
  });

  it("ints and floats, ints as keys where no tensors are by them, and strings where they are", () => {
    const { value } = readInPython({
      state: { 0: { step: 2 }, 1: { step: 0.5 } },
      list: { 0: torch.ones([1]) },
      mixed: { 0: 1, a: 2 },
      map: new Map<number | string, number>([[5, 1]]),
    });
    expect(value).toMatchObject({
      "str state": { "int 0": { "str step": "int 2" }, "int 1": { "str step": "float 0.5" } },
      "str list": { "str 0": expect.anything() as unknown },
      "str mixed": { "str 0": "int 1", "str a": "int 2" },
      "str map": { "int 5": "int 1" },
    });
  });

  it("tensors as PyTorch pickles them", () => {
    const tensors = [torch.ones([2, 3]).t(), torch.ones([2], { dtype: "uint16" })];
    const int = (number: number) => `int ${number}`;
    expect(readInPython(tensors).value).toEqual([
      [
        "torch._utils._rebuild_tensor_v2",
        { "str storage": ["storage", "torch.FloatStorage", "0", "cpu", int(6)] },
        ...[int(0), [int(3), int(2)], [int(1), int(3)], false, ["collections.OrderedDict"]],
      ],
      [
        "torch._utils._rebuild_tensor_v3",
        { "str storage": ["storage", "torch.storage.UntypedStorage", "1", "cpu", int(4)] },
        ...[int(0), [int(2)], [int(1)], false, ["collections.OrderedDict"], "torch.uint16"],
      ],
    ]);
  });
});

describe("torch.save", () => {
  const itself: Record<string, unknown> = { a: 1 };
  itself["me"] = itself;
  const holds = "a file holds tensors, plain objects, arrays, Maps, numbers, strings, booleans and null.";
  refuses([
    [
      "a model",
      () => torch.save({ model: new nn.ReLU() }, at("no.pt")),
      "TypeError",
      'torch.save: "model" cannot be saved, being a ReLU; save its stateDict().',
    ],
    [
      "an optimizer",
      () => torch.save(new optim.SGD([torch.ones([1])]), at("no.pt")),
      "TypeError",
      "torch.save: it cannot be saved, being a SGD; save its stateDict().",
    ],
    [
      "a function",
      () => torch.save({ a: [1, () => 2] }, at("no.pt")),
      "TypeError",
      `torch.save: "a[1]" cannot be saved, being a function; ${holds}`,
    ],
    [
      "an object of a class",
      () => torch.save({ when: new Date(0) }, at("no.pt")),
      "TypeError",
      `torch.save: "when" cannot be saved, being a Date; ${holds}`,
    ],
    [
      "a typed array",
      () => torch.save(new Float32Array(2), at("no.pt")),
      "TypeError",
      "torch.save: it cannot be saved, being a Float32Array; save torch.tensor() of it.",
    ],
    [
      "what contains itself",
      () => torch.save(itself, at("no.pt")),
      "TypeError",
      `torch.save: "me" cannot be saved, being an object; ${holds}`,
    ],
    [
      "a key that is neither text nor number",
      () => torch.save(new Map([[true, 1]]), at("no.pt")),
      "TypeError",
      `torch.save: "a key" cannot be saved, being true; ${holds}`,
    ],
    [
      "a sparse tensor",
      () => torch.save(torch.eye(2).toSparse(), at("no.pt")),
      "TypeError",
      "torch.save: a tensor is sparse_coo; save .toDense() of it.",
    ],
    [
      "a folder that is not there",
      () => torch.save(1, "/nowhere/a.pt"),
      "Error",
      "torch.save: there is no folder /nowhere.",
    ],
    [
      "no path",
      () => serialize.saveTorch(1, undefined as never),
      "TypeError",
      "torch.save: the file must be a path, got undefined.",
    ],
  ]);

  it("leaves no file behind what it refused", () => {
    expect(existsSync(at("no.pt"))).toBe(false);
  });
});
