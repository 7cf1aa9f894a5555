// Tests calls of JavaScript from backward, mixed precision, transforms, anomaly mode and the profiler, on the device under test: a
// device's nodes must run on the JavaScript thread too, and its times are its own.
import { describe, expect, it } from "vitest";
import { amp, autograd, functional as F, nn, optim, torch, type Tensor } from "../../lib/index.ts";
import { device, expectNear, queues } from "./device_under_test.ts";

const kind = device.replace(/:\d+$/, "") as "cpu" | "cuda" | "mps";
const leaf = (...values: number[]) => torch.tensor(values).float().to(device).requiresGrad_();

class Cube extends autograd.Function {
  static forward(ctx: autograd.FunctionContext, x: Tensor): Tensor {
    ctx.saveForBackward(x);
    return x.pow(3);
  }
  static backward(ctx: autograd.FunctionContext, grad: Tensor): Tensor {
    return grad.mul(ctx.savedTensors[0]!.square()).mul(3);
  }
}

describe(`backward on ${device}`, () => {
  it("calls functions of one's own, twice under createGraph, and hooks of all kinds", () => {
    const x = leaf(1, 2);
    const seen: string[] = [];
    x.registerPostAccumulateGradHook(() => void seen.push("accumulated"));
    const y = Cube.apply(x);
    y.registerHook((grad) => {
      seen.push(`hook on ${grad.device === y.device}`);
      return grad.mul(2);
    });
    y.gradFn!.registerPrehook(() => void seen.push("prehook"));
    y.gradFn!.registerHook(() => void seen.push("after"));
    const [first] = torch.grad(y.sum(), x, { createGraph: true });
    const [second] = torch.grad(first!.sum(), x, { retainGraph: true });
    expectNear(first!.detach(), torch.tensor([6, 24]).float());
    expectNear(second!, torch.tensor([12, 24]).float());
    y.sum().backward();
    expect(seen.slice(-4)).toEqual(["hook on true", "prehook", "after", "accumulated"]);
  });

  it("throws what a hook throws, and goes on afterwards", () => {
    const x = leaf(1);
    const handle = x.registerHook(() => {
      throw new RangeError("from the hook");
    });
    expect(() => x.exp().sum().backward()).toThrow(new RangeError("from the hook"));
    handle.remove();
    x.exp().sum().backward();
    expectNear(x.grad!, torch.tensor([Math.E]).float());
  });

  it("names the operation whose gradient is NaN", () => {
    expect(() => autograd.detectAnomaly(() => leaf(0).sqrt().mul(0).sum().backward())).toThrow(
      /^SqrtBackward0/,
    );
  });

  it("draws dropout again where a checkpoint computes again", () => {
    const x = torch.randn([64, 32]).to(device).requiresGrad_();
    let mask: Tensor | null = null;
    const run = (input: Tensor) => {
      const dropped = F.dropout(input, 0.5, true);
      mask ??= dropped.detach().ne(0).to(dropped.dtype);
      return dropped.exp();
    };
    const y = torch.checkpoint(run, [x]);
    y.sum().backward();
    expectNear(x.grad!, y.detach().mul(mask!).mul(2));
  });
});

describe(`mixed precision on ${device}`, () => {
  it("multiplies in half, keeps parameters and their gradients in float32, and skips what overflows", () => {
    torch.manualSeed(0);
    const model = new nn.Sequential(new nn.Linear(8, 16), new nn.Tanh(), new nn.Linear(16, 1)).to(device);
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.1 });
    const scaler = new amp.GradScaler({ initScale: 1024 });
    const x = torch.randn([32, 8]).to(device);
    const losses: number[] = [];
    for (let step = 0; step < 6; step++) {
      optimizer.zeroGrad();
      const loss = torch.autocast({ deviceType: kind }, () => {
        const output = model(x);
        expect(output.dtype).toBe(torch.getAutocastDtype(kind));
        return F.mseLoss(output.float(), x.sum(1, true));
      });
      scaler.scale(loss.mul(step === 2 ? Infinity : 1)).backward();
      scaler.step(optimizer);
      scaler.update();
      losses.push(loss.item());
    }
    for (const { dtype, grad } of model.parameters())
      expect([dtype, grad!.dtype]).toEqual(["float32", "float32"]);
    expect(losses.at(-1)!).toBeLessThan(losses[0]!);
    expect([losses[3], scaler.getScale()]).toEqual([losses[2], 512]);
  });
});

describe(`functions of functions on ${device}`, () => {
  const { functionalCall, grad, jacrev, vmap } = torch.func;

  it("give each example's gradient", () => {
    const model = new nn.Linear(3, 2).to(device);
    const parameters: Record<string, Tensor> = Object.fromEntries(model.namedParameters());
    const [x, y] = [torch.randn([5, 3]).to(device), torch.tensor([0, 1, 1, 0, 1]).to(device)];
    const loss = (own: typeof parameters, one: Tensor, target: Tensor) =>
      F.crossEntropy(functionalCall(model, own, [one.unsqueeze(0)]), target.unsqueeze(0));
    const each = vmap(grad(loss), { inDims: [null, 0, 0] })(parameters, x, y);
    F.crossEntropy(model(x), y, { reduction: "sum" }).backward();
    expectNear(each.weight!.sum(0), model.weight.grad!);
    expect(each.weight!.device).toBe(x.device);
  });

  it("give a Jacobian", () => {
    expectNear(jacrev((x) => x.pow(2))(leaf(1.5, 2)), leaf(3, 4).detach().diag());
  });
});

describe(`the profiler on ${device}`, () => {
  it("times the device apart from the host", () => {
    const x = torch.randn([512, 512]).to(device);
    x.matmul(x).sum().item();
    const made = torch.profiler.profile({ activities: ["cpu", device] }, () => x.matmul(x));
    const [matmul] = made.events();
    expect(matmul!.name).toBe("aten::matmul");
    expect(matmul!.deviceTimeMs > 0).toBe(queues);
    expect(matmul!.queueTimeMs).toBeGreaterThanOrEqual(0);
    expect(made.keyAverages().table().includes("Self device")).toBe(queues);
  });
});
