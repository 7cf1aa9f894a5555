// Operators on the device under test against the same on the CPU: values, dtypes, gradients.
import { describe, expect, it } from "vitest";
import { functional as F, torch, type Tensor } from "../../lib/index.ts";
import { device, expectNear } from "./device_under_test.ts";

/** Inputs that fit every case: a, b [4, 6]; m [6, 5]; batch [2, 4, 6]; image [2, 3, 8, 8]; index, mask; positive. */
interface Inputs {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly m: Tensor;
  readonly batch: Tensor;
  readonly image: Tensor;
  readonly positive: Tensor;
  readonly square: Tensor;
  readonly index: Tensor;
  readonly mask: Tensor;
}

function inputs(): Inputs {
  torch.manualSeed(7);
  const square = torch.randn([5, 5]);
  return {
    a: torch.randn([4, 6]),
    b: torch.randn([4, 6]),
    m: torch.randn([6, 5]),
    batch: torch.randn([2, 4, 6]),
    image: torch.randn([2, 3, 8, 8]),
    positive: torch.rand([4, 6]).add(0.5),
    square: square.matmul(square.t()).add(torch.eye(5).mul(5)),
    index: torch.tensor([3, 0, 2], { dtype: "int64" }),
    mask: torch.randn([4, 6]).gt(0),
  };
}

const CASES: Record<string, Record<string, (x: Inputs) => Tensor>> = {
  arithmetic: {
    add: ({ a, b }) => a.add(b),
    "add of a number": ({ a }) => a.add(2),
    "add with alpha": ({ a, b }) => a.add(b, { alpha: 3 }),
    sub: ({ a, b }) => a.sub(b),
    mul: ({ a, b }) => a.mul(b),
    div: ({ a, positive }) => a.div(positive),
    pow: ({ positive, b }) => positive.pow(b),
    remainder: ({ a, positive }) => a.remainder(positive),
    lerp: ({ a, b }) => a.lerp(b, 0.3),
    addcmul: ({ a, b, positive }) => a.addcmul(b, positive),
    maximum: ({ a, b }) => a.maximum(b),
    broadcast: ({ batch, b }) => batch.mul(b).add(b.at(0)),
    "int64 to float32": ({ index }) => index.add(0.5),
  },
  elementwise: {
    abs: ({ a }) => a.abs(),
    neg: ({ a }) => a.neg(),
    exp: ({ a }) => a.exp(),
    log: ({ positive }) => positive.log(),
    sqrt: ({ positive }) => positive.sqrt(),
    rsqrt: ({ positive }) => positive.rsqrt(),
    sin: ({ a }) => a.sin(),
    tanh: ({ a }) => a.tanh(),
    sigmoid: ({ a }) => a.sigmoid(),
    erf: ({ a }) => a.erf(),
    floor: ({ a }) => a.floor(),
    clamp: ({ a }) => a.clamp(-0.5, 0.5),
    where: ({ a, b, mask }) => torch.where(mask, a, b),
    maskedFill: ({ a, mask }) => a.maskedFill(mask, 0),
    isnan: ({ a }) => a.div(0).sub(a.div(0)).isnan(),
    comparison: ({ a, b }) => a.ge(b).logicalOr(a.lt(0)),
  },
  activations: {
    relu: ({ a }) => a.relu(),
    gelu: ({ a }) => F.gelu(a),
    silu: ({ a }) => F.silu(a),
    leakyRelu: ({ a }) => F.leakyRelu(a, 0.1),
    softplus: ({ a }) => F.softplus(a),
    softmax: ({ a }) => a.softmax(-1),
    logSoftmax: ({ a }) => a.logSoftmax(0),
  },
  reductions: {
    sum: ({ a }) => a.sum(),
    "sum of a dimension": ({ batch }) => batch.sum([0, 2], { keepdim: true }),
    mean: ({ a }) => a.mean(1),
    var: ({ a }) => a.var(1),
    norm: ({ a }) => a.norm(),
    amax: ({ a }) => a.amax(1),
    argmax: ({ a }) => a.argmax(1),
    logsumexp: ({ a }) => a.logsumexp(1),
    prod: ({ positive }) => positive.prod(1),
    cumsum: ({ a }) => a.cumsum(1),
    any: ({ mask }) => mask.any(1),
    all: ({ mask }) => mask.all(),
    countNonzero: ({ mask }) => mask.countNonzero(),
  },
  matrices: {
    mm: ({ a, m }) => a.mm(m),
    "matmul with a batch": ({ batch, m }) => batch.matmul(m),
    "matmul with a vector": ({ a, b }) => a.matmul(b.at(0)),
    bmm: ({ batch }) => batch.bmm(batch.transpose(1, 2)),
    addmm: ({ a, m, square }) => square.at(torch.slice(0, 4)).addmm(a, m),
    linear: ({ a, m }) => F.linear(a, m.t()),
    einsum: ({ a, m }) => torch.einsum("ij,jk->ki", [a, m]),
    outer: ({ a, b }) => a.at(0).outer(b.at(1)),
  },
  shapes: {
    view: ({ a }) => a.view([2, 12]),
    reshape: ({ a }) => a.t().reshape([-1]),
    permute: ({ batch }) => batch.permute([2, 0, 1]).contiguous(),
    cat: ({ a, b }) => torch.cat([a, b], 1),
    stack: ({ a, b }) => torch.stack([a, b], 1),
    "split and add": ({ a }) => a.split(3, 1).reduce((left, right) => left.add(right)),
    flip: ({ a }) => a.flip([0, 1]),
    roll: ({ a }) => a.roll([1], [1]),
    repeat: ({ a }) => a.repeat([2, 1]),
    expand: ({ a }) => a.unsqueeze(0).expand([3, 4, 6]).mul(2),
    tril: ({ square }) => square.tril(-1),
    diagonal: ({ square }) => square.diagonal(),
    pad: ({ image }) => F.pad(image, [1, 2, 0, 1]),
  },
  indexing: {
    "a number": ({ a }) => a.at(1),
    "a slice": ({ a }) => a.at(torch.slice(0, 4, 2), torch.slice(1, null)),
    "an index tensor": ({ a, index }) => a.at(index),
    "a mask": ({ a, mask }) => a.at(mask),
    gather: ({ a, index }) => a.gather(1, index.unsqueeze(0)),
    indexSelect: ({ a, index }) => a.indexSelect(0, index),
    scatterAdd: ({ a, b, index }) =>
      a.scatterAdd(1, index.unsqueeze(1), b.at(torch.slice(0, 3), torch.slice(0, 1))),
    takeAlongDim: ({ a }) => a.takeAlongDim(a.argsort(1), 1),
    nonzero: ({ mask }) => mask.nonzero(),
    topk: ({ a }) => a.topk(2)[0],
    sort: ({ a }) => a.sort(1)[0],
    unfold: ({ a }) => a.unfold(1, 3, 2),
    embedding: ({ a, index }) => torch.embedding(a, index),
  },
  images: {
    conv1d: ({ batch, m }) => F.conv1d(batch, m.at(torch.slice(0, 4)).t().reshape([5, 4, 1])),
    conv2d: ({ image, batch }) => torch.conv2d(image, batch.reshape([4, 3, 2, 2]), null, 1, 1),
    convTranspose2d: ({ image, batch }) => torch.convTranspose2d(image, batch.reshape([3, 4, 2, 2])),
    maxPool2d: ({ image }) => F.maxPool2d(image, 2),
    avgPool2d: ({ image }) => F.avgPool2d(image, 3, { stride: 2 }),
    adaptiveAvgPool2d: ({ image }) => torch.adaptiveAvgPool1d(image.flatten(0, 1), 3),
    layerNorm: ({ a }) => F.layerNorm(a, [6]),
    attention: ({ batch }) =>
      torch.ops.aten.scaled_dot_product_attention.default(batch, batch, batch) as Tensor,
  },
  losses: {
    mseLoss: ({ a, b }) => F.mseLoss(a, b),
    l1Loss: ({ a, b }) => F.l1Loss(a, b),
    crossEntropy: ({ a }) => F.crossEntropy(a, a.detach().argmax(1)),
    binaryCrossEntropyWithLogits: ({ a, mask }) => F.binaryCrossEntropyWithLogits(a, mask.to("float32")),
  },
};

const FLOATS = ["a", "b", "m", "batch", "image", "positive", "square"] as const;

/** The result on a device, and the gradients of its float inputs where it has any. */
function run(call: (x: Inputs) => Tensor, on: typeof device): { result: Tensor; grads: (Tensor | null)[] } {
  const given = Object.fromEntries(
    Object.entries(inputs()).map(([name, tensor]) => [name, tensor.to(on)]),
  ) as unknown as Inputs;
  const leaves = FLOATS.map((name) => given[name].requiresGrad_());
  const result = call(given);
  if (result.requiresGrad) result.mul(result.detach().cos()).sum().backward();
  return { result: result.detach(), grads: leaves.map((leaf) => leaf.grad) };
}

describe.each(Object.entries(CASES))(`%s on ${device}`, (_, cases) => {
  it.each(Object.entries(cases))("%s gives the CPU's values and gradients", (_, call) => {
    const there = run(call, device);
    const here = run(call, "cpu");
    expect(there.result.device.replace(/:0$/, "")).toBe(device);
    expectNear(there.result, here.result);
    for (const [i, grad] of here.grads.entries()) {
      expect(there.grads[i] === null).toBe(grad === null);
      if (grad !== null) expectNear(there.grads[i]!, grad);
    }
  });
});

describe(`writing in place on ${device}`, () => {
  it("changes the tensor and the views of it", () => {
    const x = torch.zeros([2, 3], { device });
    const row = x.at(1);
    row.add_(2).mul_(3);
    x.setAt(0, 2, 7);
    expect(x.tolist()).toEqual([
      [0, 0, 7],
      [6, 6, 6],
    ]);
  });

  it("copies from the CPU and back", () => {
    const x = torch.zeros([3], { device });
    x.copy_(torch.tensor([1, 2, 3]));
    const back = torch.zeros([3]).copy_(x);
    expect(back.tolist()).toEqual([1, 2, 3]);
  });
});

describe(`dtypes on ${device}`, () => {
  it.each(["float16", "bfloat16", "int64", "int32", "uint8", "bool"] as const)(
    "%s there and back",
    (dtype) => {
      const x = torch.tensor([0, 1, 2, 3]).to(dtype);
      const there = x.to(device);
      expect(there.dtype).toBe(dtype);
      expect(there.cpu().to("float32").tolist()).toEqual(x.to("float32").tolist());
      expect(there.to("float32").tolist()).toEqual(x.to("float32").tolist());
    },
  );
});

describe(`filling a given tensor on ${device}`, () => {
  it("takes the device's name with and without its number", () => {
    const out = torch.zeros([3], { device });
    expect(torch.arange(0, 3, 1, { device, out }).tolist()).toEqual([0, 1, 2]);
    expect(torch.ones([3], { device: out.device, out }).tolist()).toEqual([1, 1, 1]);
  });

  it("a fraction as the step of integers ends no process", () => {
    const numbers = () => torch.arange(2, 0, -0.5, { device, dtype: "int64" }).tolist();
    if (device.startsWith("cuda"))
      expect(numbers).toThrow(/^arange\(\): a step of -0\.5 is 0 as an integer: choose a whole step/);
    else expect(numbers()).toEqual([2, 2, 2, 2]);
  });
});

describe(`random numbers on ${device}`, () => {
  it("repeat with their seed, and go on without", () => {
    torch.manualSeed(3);
    const first = torch.randn([64], { device });
    const second = torch.randn([64], { device });
    torch.manualSeed(3);
    expect(torch.randn([64], { device }).equal(first)).toBe(true);
    expect(second.equal(first)).toBe(false);
  });

  it("repeat from a state that was kept", () => {
    torch.rand([3], { device });
    const state = torch.getRngState(device);
    const first = torch.rand([5], { device }).tolist();
    torch.setRngState(state, device);
    expect(torch.rand([5], { device }).tolist()).toEqual(first);
  });

  it("are spread as their distribution says", () => {
    torch.manualSeed(1);
    const normal = torch.randn([100_000], { device });
    const [mean, std] = [normal.mean().item() as number, normal.std().item() as number];
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(Math.abs(std - 1)).toBeLessThan(0.02);
    const kept = F.dropout(torch.ones([100_000], { device }), 0.25)
      .gt(0)
      .to("float32")
      .mean()
      .item();
    expect(Math.abs((kept as number) - 0.75)).toBeLessThan(0.01);
  });
});
