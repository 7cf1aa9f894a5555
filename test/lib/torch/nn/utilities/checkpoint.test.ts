// Gradient checkpointing: the same gradients from less memory, random numbers drawn again, and misuse.
import { describe, expect, it } from "vitest";
import { nn, optim, torch, type Tensor } from "../../../../../lib/index.ts";
import { allocatedBytes, collectedBytes } from "../../../../helpers/memory.ts";
import { refuses } from "../../tensor/misuse.ts";

function makeModel() {
  torch.manualSeed(0);
  const block = () =>
    new nn.Sequential(new nn.Linear(8, 32), new nn.GELU(), new nn.Dropout(0.5), new nn.Linear(32, 8));
  return { blocks: [block(), block(), block()], x: torch.randn([4, 8]).requiresGrad_() };
}

const gradientsOf = (blocks: readonly nn.Sequential[]) =>
  blocks.flatMap((block) => block.parameters().map((parameter) => parameter.grad!.tolist()));

describe("checkpoint", () => {
  it("gives the gradients that the model gives without it, dropout included", () => {
    const plain = makeModel();
    plain.blocks
      .reduce<Tensor>((x, block) => block(x), plain.x)
      .square()
      .sum()
      .backward();
    const kept = makeModel();
    kept.blocks
      .reduce<Tensor>((x, block) => torch.checkpoint(block, [x]), kept.x)
      .square()
      .sum()
      .backward();
    expect(gradientsOf(kept.blocks)).toEqual(gradientsOf(plain.blocks));
    expect(kept.x.grad!.tolist()).toEqual(plain.x.grad!.tolist());
    expect(torch.rand([]).item()).toBe(
      (makeModel(), plain.blocks.map((b) => b(plain.x)), torch.rand([]).item()),
    );
  });

  it("holds the inputs alone until backward", () => {
    const layers = Array.from({ length: 6 }, () => [new nn.Linear(256, 256), new nn.Tanh()]).flat();
    const model = new nn.Sequential(...layers);
    const x = torch.randn([512, 256]);
    const held = (run: (x: Tensor) => Tensor) =>
      torch.tidy(() => {
        const before = collectedBytes();
        const loss = run(x).sum();
        const after = allocatedBytes();
        loss.backward();
        return after - before;
      });
    const plain = held(model);
    expect(held((input) => torch.checkpoint(model, [input]))).toBeLessThan(plain / 3);
    const halves = [new nn.Sequential(...layers.slice(0, 6)), new nn.Sequential(...layers.slice(6))];
    expect(held((input) => torch.checkpointSequential(halves, 2, input))).toBeLessThan(plain * 0.75);
  });

  it("computes again only as far as backward needs", () => {
    const x = torch.ones([2]).requiresGrad_();
    const calls: string[] = [];
    const run = (input: Tensor) => {
      calls.push("exp");
      const hidden = input.exp();
      const output = hidden.mul(2);
      calls.push("end");
      return output.neg();
    };
    torch.checkpoint(run, [x]).sum().backward();
    expect(calls).toEqual(["exp", "end", "exp"]);
    expect(x.grad!.tolist()).toEqual(torch.ones([2]).exp().mul(-2).tolist());
    calls.length = 0;
    torch.checkpoint(run, [x], { earlyStop: false }).sum().backward();
    expect(calls).toEqual(["exp", "end", "exp", "end"]);
  });

  it("serves a second backward, and one inside another", () => {
    const x = torch.tensor([0.5, 2]).requiresGrad_();
    const inner = (input: Tensor) => input.exp().sin();
    const outer = (input: Tensor) => torch.checkpoint(inner, [input.mul(2)]).tanh();
    const loss = torch.checkpoint(outer, [x]).sum();
    loss.backward(null, { retainGraph: true });
    const once = x.grad!.tolist();
    loss.backward();
    const plain = torch.tensor([0.5, 2]).requiresGrad_();
    plain.mul(2).exp().sin().tanh().sum().backward();
    expect(once).toEqual(plain.grad!.tolist());
    expect(x.grad!.tolist()).toEqual(plain.grad!.mul(2).tolist());
  });

  it("passes what is no tensor, and several results", () => {
    const x = torch.ones([3]).requiresGrad_();
    const [doubled, halved] = torch.checkpoint(
      (input: Tensor, by: number) => [input.exp().mul(by), input.exp().div(by)],
      [x, 2],
    );
    doubled.add(halved).sum().backward();
    expect(x.grad!.tolist()[0 as never]).toBeCloseTo(2.5 * Math.E, 5);
  });

  it("only runs the function where nothing is recorded", () => {
    expect(torch.noGrad(() => torch.checkpoint((x: Tensor) => x.exp(), [torch.zeros([1])])).item()).toBe(1);
  });

  let differs = 0;
  refuses([
    [
      "what is no function",
      () => torch.checkpoint(3 as never, []),
      "TypeError",
      "torch.checkpoint: expected a function, got 3.",
    ],
    [
      "inputs that are in no array",
      () => torch.checkpoint((x: Tensor) => x, torch.ones([1]) as never),
      "TypeError",
      "torch.checkpoint: expected the function's inputs in an array, as checkpoint(fn, [x]), got a Tensor.",
    ],
    [
      "an unknown option",
      () => torch.checkpoint((x: Tensor) => x, [torch.ones([1])], { useReentrant: true } as never),
      "TypeError",
      'torch.checkpoint: unknown option "useReentrant"; it takes preserveRngState, earlyStop, determinismCheck.',
    ],
    [
      "an asynchronous function",
      () => torch.checkpoint(async (x: Tensor) => x, [torch.ones([1])]),
      "TypeError",
      "torch.checkpoint cannot wait: its function returned a promise, and it would be computed again in the midst of backward.",
    ],
    [
      "a function that does something else the second time",
      () =>
        torch
          .checkpoint(
            (x: Tensor) => (differs++ === 0 ? x.exp() : x.at(0).exp()),
            [torch.ones([3]).requiresGrad_()],
          )
          .sum()
          .backward(),
      "Error",
      "checkpoint: computed again, tensor 0 that backward needs is float32 [], and it was float32 [3] the first time. ...",
    ],
    [
      "more segments than layers",
      () => torch.checkpointSequential([new nn.Tanh()], 2, torch.ones([1])),
      "RangeError",
      "torch.checkpointSequential: 1 layers cannot make 2 segments.",
    ],
  ]);
});

describe("gradient accumulation", () => {
  it("over parts of a batch equals the whole batch", () => {
    const train = (parts: number) => {
      torch.manualSeed(1);
      const model = new nn.Linear(6, 2);
      const x = torch.randn([12, 6], { dtype: "float32" });
      const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
      for (let step = 0; step < 3; step++) {
        optimizer.zeroGrad();
        for (const part of x.chunk(parts)) model(part).square().sum().div(12).backward();
        optimizer.step();
      }
      return model.weight.tolist() as number[][];
    };
    const [whole, accumulated] = [train(1), train(4)];
    for (const [row, values] of whole.entries())
      for (const [i, value] of values.entries()) expect(accumulated[row]![i]).toBeCloseTo(value, 6);
  });
});
