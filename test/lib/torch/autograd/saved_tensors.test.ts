// Tests what the graph keeps for backward under hooks of one's own.
import { describe, expect, it } from "vitest";
import { autograd, nn, torch, type Tensor } from "../../../../lib/index.ts";

const { saveOnCpu, savedTensorsHooks } = autograd.graph;
const leaf = (...values: number[]) => torch.tensor(values, { dtype: "float32", requiresGrad: true });

describe("savedTensorsHooks", () => {
  it("keeps what pack makes, and gives backward what unpack makes of it", () => {
    const x = leaf(2, 3);
    const packed: number[][] = [];
    const loss = savedTensorsHooks(
      (tensor) => {
        packed.push(tensor.tolist() as number[]);
        return tensor.tolist();
      },
      (values) => torch.tensor(values as number[], { dtype: "float32" }).mul(10),
      () => x.square().sum(),
    );
    expect(packed).toEqual([[2, 3]]);
    loss.backward();
    expect(x.grad!.tolist()).toEqual([40, 60]); // 2 * (10 x)
  });

  it("holds inside alone, the innermost first", () => {
    const x = leaf(1);
    const calls: string[] = [];
    const named = <Result>(name: string, run: () => Result) =>
      savedTensorsHooks(
        (tensor) => {
          calls.push(name);
          return tensor;
        },
        (tensor: Tensor) => tensor,
        run,
      );
    named("outer", () => {
      x.square();
      named("inner", () => x.square());
      x.square();
    });
    x.square();
    expect(calls).toEqual(["outer", "inner", "outer"]);
  });

  it("survives tidy around the forward: what is packed is the graph's", () => {
    const x = leaf(3);
    const loss = torch.tidy(() =>
      savedTensorsHooks(
        (tensor) => tensor.to("float16"),
        (half: Tensor) => half.float(),
        () => x.square().sum(),
      ),
    );
    loss.backward();
    expect(x.grad!.tolist()).toEqual([6]);
  });

  it("ends where the function throws, and refuses one that waits", () => {
    let packed = 0;
    const counted = (tensor: Tensor) => {
      packed++;
      return tensor;
    };
    const identity = (tensor: Tensor) => tensor;
    const fails = () => {
      leaf(1).square();
      throw new Error("mine");
    };
    expect(() => savedTensorsHooks(counted, identity, fails)).toThrow("mine");
    expect(() => savedTensorsHooks(counted, identity, async () => 1)).toThrow(
      "savedTensorsHooks() cannot wait: its function returned a promise, and the hooks end when it returns. Call it around the synchronous parts.",
    );
    leaf(1).square();
    expect(packed).toBe(1);
  });

  it("says what unpack must give", () => {
    const loss = savedTensorsHooks(
      (tensor) => tensor,
      () => 3 as never,
      () => leaf(1).square().sum(),
    );
    expect(() => loss.backward()).toThrow(
      "Expected the unpack hook's result to be a Tensor, but got number 3.",
    );
  });
});

describe("saveOnCpu", () => {
  it("gives the same gradients", () => {
    torch.manualSeed(0);
    const model = new nn.Sequential(new nn.Linear(3, 4), new nn.Tanh(), new nn.Linear(4, 1));
    const x = torch.randn([5, 3]);
    model(x).sum().backward();
    const expected = model.parameters().map((parameter) => parameter.grad!.tolist());
    model.zeroGrad();
    saveOnCpu(() => model(x).sum()).backward();
    expect(model.parameters().map((parameter) => parameter.grad!.tolist())).toEqual(expected);
  });
});
