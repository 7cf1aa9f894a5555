// Tests what a tensor reports of itself, how values leave it, and where it can go.
import { serialize } from "node:v8";
import { MessageChannel } from "node:worker_threads";
import { afterAll, describe, expect, it } from "vitest";
import { nn, Tensor, torch } from "../../../../lib/index.ts";

const x = torch.tensor(
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  { dtype: "float32" },
);

describe("a tensor says of itself", () => {
  it("its sizes, type and place", () => {
    expect([x.shape, x.dtype, x.device, x.ndim]).toEqual([[2, 3], "float32", "cpu", 2]);
    expect([x.size(), x.size(0), x.size(-1), x.dim(), x.numel()]).toEqual([[2, 3], 2, 3, 2, 6]);
    expect([x.stride(), x.stride(0), x.storageOffset(), x.isContiguous()]).toEqual([[3, 1], 3, 0, true]);
    expect([x.itemsize, x.nbytes]).toEqual([4, 24]);
    expect([x.requiresGrad, x.isLeaf, x.grad, x.gradFn]).toEqual([false, true, null, null]);
  });

  it("that it is one", () => {
    expect([torch.isTensor(x), torch.isTensor([1]), x instanceof Tensor]).toEqual([true, false, true]);
  });

  it("how many rows it has", () => {
    expect([x.length, torch.zeros([0, 3]).length]).toEqual([2, 0]);
    expect(() => torch.tensor(1).length).toThrow(
      new TypeError("A tensor without dimensions has no length; item() reads its value."),
    );
  });

  it("that new does not make one", () => {
    expect(() => new (Tensor as never as new () => Tensor)()).toThrow(
      /^A Tensor is not made with new: use torch/,
    );
  });

  it("which dimension it lacks", () => {
    expect(() => x.size(2)).toThrow(new RangeError("dim 2 is not one of the 2 dimensions of this tensor."));
  });
});

describe("grad", () => {
  it("takes null or a tensor of its shape, dtype and device", () => {
    const y = torch.ones([2], { requiresGrad: true });
    y.grad = torch.ones([2]);
    expect(y.grad.tolist()).toEqual([1, 1]);
    expect(() => void (y.grad = 3 as never)).toThrow(TypeError);
    expect(() => void (y.grad = torch.ones([3]))).toThrow(RangeError);
    expect(() => void (y.grad = torch.ones([2], { dtype: "float64" }))).toThrow(TypeError);
  });
});

describe("views", () => {
  it("share memory", () => {
    const y = torch.zeros([2, 2]);
    y.T.fill_(3);
    y.view([4]).at(0).fill_(1);
    expect(y.tolist()).toEqual([
      [1, 3],
      [3, 3],
    ]);
  });

  it("transpose and split complex numbers by property", () => {
    expect([x.T.shape, x.mT.shape, torch.ones([2, 3, 4]).mT.shape]).toEqual([
      [3, 2],
      [3, 2],
      [2, 4, 3],
    ]);
    const z = torch.tensor([[{ re: 1, im: 2 }]]);
    expect([z.real.tolist(), z.imag.tolist(), z.H.tolist()]).toEqual([[[1]], [[2]], [[{ re: 1, im: -2 }]]]);
  });

  it("are what iterating gives", () => {
    expect([...x].map((row) => row.tolist())).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(() => [...torch.tensor(1)]).toThrow(
      new TypeError("A tensor without dimensions cannot be iterated over; item() reads its value."),
    );
  });
});

describe("item", () => {
  it.each([
    [torch.tensor(2.5), 2.5],
    [torch.tensor([[7]]), 7],
    [torch.tensor(true), true],
    [torch.tensor(2n ** 62n), 2n ** 62n],
    [torch.tensor({ re: 1, im: -2 }), { re: 1, im: -2 }],
    [torch.tensor(0.1, { dtype: "float64" }), 0.1],
  ])("of %s is %o", (tensor, value) => {
    expect(tensor.item()).toEqual(value);
  });

  it("of several elements is refused", () => {
    expect(() => x.item()).toThrow(
      new RangeError(
        "item() reads a tensor of one element, and this one has shape [2, 3]: use tolist(), or at(...) to choose one.",
      ),
    );
  });
});

describe("tolist", () => {
  it.each([
    ["float16", [0.5, 1]],
    ["bfloat16", [0.5, 1]],
    ["float64", [0.5, 1]],
    ["int8", [0, 1]],
    ["int16", [0, 1]],
    ["int32", [0, 1]],
    ["int64", [0, 1]],
    ["uint8", [0, 1]],
    ["bool", [true, true]],
    [
      "complex64",
      [
        { re: 0.5, im: 0 },
        { re: 1, im: 0 },
      ],
    ],
    [
      "complex128",
      [
        { re: 0.5, im: 0 },
        { re: 1, im: 0 },
      ],
    ],
  ] as const)("gives the values of %s", (dtype, values) => {
    expect(torch.tensor([0.5, 1]).to(dtype).tolist()).toEqual(values);
  });

  it("nests as the shape says", () => {
    expect(torch.arange(8).reshape([2, 2, 2]).tolist()).toEqual([
      [
        [0, 1],
        [2, 3],
      ],
      [
        [4, 5],
        [6, 7],
      ],
    ]);
    expect(torch.zeros([2, 0]).tolist()).toEqual([[], []]);
    expect(torch.tensor(3).tolist()).toBe(3);
  });

  it("carries conjugation out", () => {
    expect(
      torch
        .tensor([{ re: 1, im: 2 }])
        .conj()
        .tolist(),
    ).toEqual([{ re: 1, im: -2 }]);
    expect(
      torch
        .tensor([{ re: 1, im: 2 }])
        .conj()
        .imag.tolist(),
    ).toEqual([-2]);
  });
});

describe("a tensor's storage", () => {
  it("is shared by views, and is as large as the whole", () => {
    const whole = torch.zeros([4]);
    const part = whole.at(torch.slice(1, 3));
    expect(part.untypedStorage()).toEqual(whole.untypedStorage());
    expect(part.untypedStorage().nbytes).toBe(16);
    expect(whole.clone().untypedStorage().dataPtr).not.toBe(whole.untypedStorage().dataPtr);
  });
});

describe("as a number", () => {
  it("a tensor of one element is that one, as float(x) in Python", () => {
    expect(Number(torch.tensor(1.5))).toBe(1.5);
    expect(+torch.tensor([[2]])).toBe(2);
    expect(-torch.tensor(3)).toBe(-3);
    expect(Math.max(torch.tensor(1) as never, torch.tensor(4) as never)).toBe(4);
  });

  it("another is refused, where the language would make NaN of it", () => {
    const refusal = (kind: string) =>
      new TypeError(
        `A tensor of ${kind} is no number: use its methods, as neg(), mul() and gt(), or item() of one element.`,
      );
    expect(() => -torch.ones([2, 3])).toThrow(refusal("float32 [2, 3]"));
    expect(() => Number(torch.ones([0]))).toThrow(refusal("float32 [0]"));
    expect(() => Number(torch.tensor({ re: 1, im: 2 }))).toThrow(refusal("complex64 []"));
  });

  it("in a text every tensor is its values", () => {
    expect(`${torch.tensor([1, 2])}`).toBe("tensor([1, 2])");
    expect("loss: " + torch.tensor(2.5)).toBe("loss: tensor(2.5000)");
  });
});

describe("outside of its thread", () => {
  it("a tensor is no JSON", () => {
    expect(() => JSON.stringify({ weights: x })).toThrow(
      new TypeError(
        "A tensor is no JSON: JSON.stringify(x.tolist()) writes its values, and torch.tensor() reads them back.",
      ),
    );
  });

  const refusal =
    "Symbol(A tensor cannot leave its thread: send x.data() and x.shape, and make it there with torch.tensor(data).reshape(shape). The tensor) could not be cloned.";
  const { port1 } = new MessageChannel();
  afterAll(() => port1.close());

  it.each<[string, () => unknown]>([
    ["structuredClone", () => structuredClone(x)],
    ["structuredClone of what holds one", () => structuredClone({ epochs: [new Map([["loss", x]])] })],
    ["structuredClone of a result of an operator", () => structuredClone(x.add(1).relu())],
    ["structuredClone of a model", () => structuredClone(new nn.Linear(2, 2).stateDict())],
    [
      "structuredClone of a disposed one",
      () => {
        const gone = x.clone();
        gone.dispose();
        structuredClone(gone);
      },
    ],
    ["postMessage", () => port1.postMessage(x)],
    ["v8.serialize", () => serialize(x)],
  ])("%s refuses a tensor, and says what to send", (_, send) => {
    expect(send).toThrow(refusal);
  });

  it("what it says to send arrives", () => {
    const { data, shape } = structuredClone({ data: x.data(), shape: x.shape });
    expect(torch.tensor(data).reshape(shape).tolist()).toEqual(x.tolist());
  });
});

describe("to", () => {
  it("takes a dtype, a device, both, a tensor, or options", () => {
    expect(x.to("int64").dtype).toBe("int64");
    expect(x.to("meta").device).toBe("meta");
    expect([x.to("meta", "int8").device, x.to("meta", "int8").dtype]).toEqual(["meta", "int8"]);
    expect(x.to(torch.zeros([1], { dtype: "float64" })).dtype).toBe("float64");
    expect(x.to({ dtype: "int32", device: "cpu" }).dtype).toBe("int32");
    expect(x.to("cpu", { nonBlocking: true }).tolist()).toEqual(x.tolist());
  });

  it("gives the tensor itself where nothing changes, unless a copy is asked for", () => {
    expect([x.to("cpu") === x, x.cpu() === x, x.float() === x]).toEqual([true, true, true]);
    expect(x.to("cpu", { copy: true }) === x).toBe(false);
  });

  it("has a method for each usual dtype", () => {
    const made = [x.float(), x.double(), x.half(), x.bfloat16(), x.long(), x.int(), x.short(), x.bool()];
    expect(made.map((one) => one.dtype)).toEqual([
      "float32",
      "float64",
      "float16",
      "bfloat16",
      "int64",
      "int32",
      "int16",
      "bool",
    ]);
  });

  it("does not guess", () => {
    expect(() => x.to({ dtipe: "int8" } as never)).toThrow(/^x\.to\(\): unknown option "dtipe"/);
    expect(() => x.to("float33" as never)).toThrow(
      new TypeError(
        '"float33" is neither a dtype nor a device: say x.to("float32"), x.to("cpu") or x.to({ dtype, device }).',
      ),
    );
  });
});

describe("dispose", () => {
  it("frees once and for all, as often as it is called", () => {
    const y = torch.ones([2]);
    expect(y.isDisposed).toBe(false);
    y.dispose();
    y.dispose();
    expect(y.isDisposed).toBe(true);
    expect(() => y.add(1)).toThrow(expect.objectContaining({ name: "UseAfterDisposeError" }));
    expect(() => y.shape).toThrow(expect.objectContaining({ name: "UseAfterDisposeError" }));
  });

  it("leaves views their memory", () => {
    const y = torch.ones([4]);
    const part = y.at(torch.slice(2));
    y.dispose();
    expect(part.tolist()).toEqual([1, 1]);
  });

  it("runs at the end of a `using` block", () => {
    let outside: Tensor;
    {
      using y = torch.ones([2]);
      outside = y;
    }
    expect(outside.isDisposed).toBe(true);
  });
});
