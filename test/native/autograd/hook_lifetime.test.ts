// A tensor with a hook is freed when nobody holds it any more, also where the hook holds the tensor; and a hook is kept as
// long as a graph may still run it.
import { afterEach, describe, expect, it } from "vitest";
import { cpu, type Tensor, torch } from "../../../lib/index.ts";
import { collectGarbage } from "../../../lib/torch/engine/garbage.ts";

const KIB = 1024;
const nextJob = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** KiB of tensors that a round leaves behind, by the mean of 20. */
async function leftBehind(round: () => void): Promise<number> {
  const settle = async () => {
    for (let i = 0; i < 4; i++) {
      collectGarbage("full");
      await nextJob();
    }
  };
  round();
  await settle();
  const before = cpu.currentAllocatedMemory();
  for (let i = 0; i < 20; i++) round();
  await settle();
  return Math.round((cpu.currentAllocatedMemory() - before) / 20 / KIB);
}

/** 200 KiB. */
const leaf = () => torch.ones([200 * 256]).requiresGrad_();

describe("nothing is left behind by", () => {
  it.each<[string, () => void]>([
    [
      "a leaf whose hook holds it",
      () => {
        const x = leaf();
        x.registerHook(() => void x.shape);
      },
    ],
    [
      "a result whose hook holds it",
      () => {
        const y = leaf().mul(2);
        y.registerHook(() => void y.shape);
      },
    ],
    [
      "a leaf whose hook after accumulation holds it",
      () => {
        const x = leaf();
        x.registerPostAccumulateGradHook(() => void x.grad);
      },
    ],
    [
      "a leaf that was used in a graph that is gone",
      () => {
        const x = leaf();
        x.registerHook(() => void x.shape);
        x.mul(2).sum();
      },
    ],
    [
      "a leaf after its backward",
      () => {
        const x = leaf();
        x.registerHook(() => void x.shape);
        x.mul(2).sum().backward();
      },
    ],
    [
      "a leaf after a backward that kept the graph",
      () => {
        const x = leaf();
        x.registerHook(() => void x.shape);
        x.mul(2).sum().backward(null, { retainGraph: true });
      },
    ],
    [
      "a result after a backward that kept the graph",
      () => {
        const y = leaf().mul(2);
        y.registerHook(() => void y.shape);
        y.sum().backward(null, { retainGraph: true });
      },
    ],
    [
      "tensors whose hooks hold each other",
      () => {
        const [x, y] = [leaf(), leaf()];
        x.registerHook(() => void y.shape);
        y.registerHook(() => void x.shape);
      },
    ],
  ])("%s", async (_, round) => {
    expect(await leftBehind(round)).toBe(0);
  });
});

describe("a hook runs after collections, though nobody holds its tensor's wrapper:", () => {
  const seen: string[] = [];
  afterEach(() => void seen.splice(0));

  const collected = async (make: () => Tensor): Promise<string[]> => {
    const loss = make();
    for (let i = 0; i < 3; i++) {
      await nextJob();
      collectGarbage("full");
    }
    loss.backward();
    return seen;
  };

  it.each<[string, () => Tensor]>([
    [
      "a leaf's",
      () => {
        const x = leaf();
        x.registerHook(() => void seen.push("hook"));
        return x.mul(2).sum();
      },
    ],
    [
      "a result's",
      () => {
        const y = leaf().mul(2);
        y.registerHook(() => void seen.push("hook"));
        return y.sum();
      },
    ],
    [
      "one after accumulation",
      () => {
        const x = leaf();
        x.registerPostAccumulateGradHook(() => void seen.push("hook"));
        return x.mul(2).sum();
      },
    ],
  ])("%s", async (_, make) => {
    expect(await collected(make)).toEqual(["hook"]);
  });

  it("a leaf's that came into a graph after a collection", async () => {
    const x = leaf();
    x.registerHook(() => void seen.push("hook"));
    collectGarbage("full");
    expect(await collected(() => x.mul(2).sum())).toEqual(["hook"]);
  });
});
