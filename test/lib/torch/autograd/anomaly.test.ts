// Anomaly mode: an error of backward and a gradient that is NaN name the line of the forward. Here the lines are this
// file's; `test/kernel/runtime/errors/autograd.test.ts` has a cell's.
import { describe, expect, it } from "vitest";
import { autograd, torch, type Tensor } from "../../../../lib/index.ts";
import { refuses } from "../tensor/misuse.ts";

const { detectAnomaly, isAnomalyEnabled, setDetectAnomaly } = autograd;
const leaf = (...values: number[]) => torch.tensor(values, { dtype: "float64", requiresGrad: true });

function errorOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
}

/** 0 / 0 in the backward of the square root, though its forward is 0. */
function forwardWithNan(x: Tensor): Tensor {
  return x.sqrt().mul(0).sum();
}

describe("anomaly mode", () => {
  it("names the operation whose gradient is NaN, and the line that ran it", () => {
    const error = errorOf(() => detectAnomaly(() => forwardWithNan(leaf(0)).backward()));
    expect(error.message).toMatch(
      /^SqrtBackward0 gave a gradient that is NaN, for input 0\. The forward call is at .*anomaly\.test\.ts:\d+:\d+\.$/,
    );
    const cause = error.cause as Error;
    expect([cause.name, cause.message]).toEqual([
      "ForwardCall",
      "SqrtBackward0 is the derivative of what this line recorded.",
    ]);
    expect(cause.stack).toMatch(/^ForwardCall: .*\n {4}at forwardWithNan \(.*anomaly\.test\.ts:\d+:\d+\)/);
  });

  it("says nothing of NaN where it is told not to look", () => {
    const x = leaf(0);
    detectAnomaly(() => forwardWithNan(x).backward(), { checkNan: false });
    expect(x.grad!.tolist()).toEqual([NaN]);
  });

  it("gives an error of libtorch's the line of the forward", () => {
    const error = errorOf(() =>
      detectAnomaly(() => {
        const y = leaf(1).exp();
        y.add_(1);
        y.sum().backward();
      }),
    );
    expect(error.message).toMatch(
      /changed in place after it was used.*The forward call is at .*anomaly\.test\.ts/,
    );
  });

  it("gives an error of a hook or a function's own backward a cause, and leaves its text alone", () => {
    class Fails extends autograd.Function {
      static forward(_: autograd.FunctionContext, x: Tensor): Tensor {
        return x.mul(1);
      }
      static backward(): Tensor {
        throw new RangeError("not today");
      }
    }
    const error = errorOf(() => detectAnomaly(() => Fails.apply(leaf(1)).sum().backward()));
    expect([error.name, error.message]).toEqual(["RangeError", "not today"]);
    expect((error.cause as Error).message).toBe(
      "FailsBackward is the derivative of what this line recorded.",
    );
    const first = new Error("first");
    const caused = errorOf(() =>
      detectAnomaly(() => {
        const x = leaf(1);
        x.registerHook(() => {
          throw new Error("with a cause", { cause: first });
        });
        x.sum().backward();
      }),
    );
    expect(caused.cause).toBe(first);
  });

  it("leads from a second backward to the first, and from there to the forward", () => {
    const error = errorOf(() =>
      detectAnomaly(() => {
        const x = leaf(0);
        const [first] = torch.grad(x.pow(1.5).sum(), x, { createGraph: true });
        first!.mul(0).sum().backward();
      }),
    );
    expect(error.message).toMatch(/gave a gradient that is NaN/);
    expect((error.cause as Error & { cause: Error }).cause.message).toMatch(
      /^It was recorded by an earlier backward, in PowBackward0/,
    );
  });

  it("tells what was recorded before it began", () => {
    const loss = forwardWithNan(leaf(0));
    const error = errorOf(() => detectAnomaly(() => loss.backward()));
    expect(error.message).toMatch(/It arose in SqrtBackward0, which was recorded outside of anomaly mode\.$/);
    expect(error.cause).toMatchObject({
      name: "libtorch",
      message: expect.stringContaining("returned nan values"),
    });
  });

  it("ends with its block, whatever happens in it; by hand it holds until it is switched off", () => {
    errorOf(() =>
      detectAnomaly(() => {
        throw new Error("inside");
      }),
    );
    expect(isAnomalyEnabled()).toBe(false);
    setDetectAnomaly(true);
    expect(isAnomalyEnabled()).toBe(true);
    expect(() => forwardWithNan(leaf(0)).backward()).toThrow(/SqrtBackward0/);
    setDetectAnomaly(false);
    expect(forwardWithNan(leaf(0)).backward()).toBeUndefined();
  });
});

describe("misuse", () => {
  refuses([
    [
      "no function",
      () => detectAnomaly(1 as never),
      "TypeError",
      "detectAnomaly() takes a function and runs it, as detectAnomaly(() => loss.backward()), got 1.",
    ],
    [
      "an async function",
      () => detectAnomaly(async () => 1),
      "TypeError",
      "detectAnomaly() cannot wait: its function returned a promise, and the mode ends when it returns. Call setDetectAnomaly() before and after.",
    ],
    [
      "an unknown option",
      () => setDetectAnomaly(true, { checkNaN: true } as never),
      "TypeError",
      'setDetectAnomaly: unknown option "checkNaN"; it takes checkNan.',
    ],
    [
      "a switch that is no boolean",
      () => setDetectAnomaly("on" as never),
      "TypeError",
      'setDetectAnomaly: enabled must be true or false, got "on".',
    ],
  ]);
});
