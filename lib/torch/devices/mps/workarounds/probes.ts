// Tests on the present device what each workaround avoids. Each test is small enough to run in a cell; its result is
// kept for the session.
import { checkChoice } from "../../../vocabulary/arguments.ts";
import { native } from "../../../engine/native.ts";
import * as functional from "../../../nn/functional/index.ts";
import { torchFunctions } from "../../../tensor/operators.ts";
import { sparseCooTensor } from "../../../sparse/sparse.ts";
import type { Tensor } from "../../../tensor/tensor.ts";
import { requireMetal } from "../availability.ts";
import { simulation } from "../simulated_metal.ts";
import { attempted, compared, type Finding, finding, type Probe } from "./finding.ts";

/** Numbers that are the same on every device, made without a generator. */
function numbers(shape: number[], device: "cpu" | "mps"): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return torchFunctions.arange(count, { dtype: "float32" }).mul(0.7311).sin().reshape(shape).to(device);
}

/** The output, and the gradient of the sum of its squares, in one tensor. */
function withGradient(input: Tensor, run: (x: Tensor) => Tensor): Tensor {
  const x = input.detach().requiresGrad_();
  const y = run(x);
  y.square().sum().backward();
  return torchFunctions.cat([y.detach().flatten(), x.grad!.flatten()]);
}

/** Rows far from zero with a small variance, for which a careless sum of squares loses all precision. */
const steep = (device: "cpu" | "mps") => numbers([64, 96], device).add(1000);

/** The time of a matrix product, as the median of five; each waits for the queue. */
function productMs(size: number): number {
  const [a, b] = [numbers([size, size], "mps"), numbers([size, size], "mps")];
  const rounds: number[] = [];
  for (let round = 0; round < 6; round++) {
    native.synchronize("mps");
    const began = performance.now();
    a.mm(b);
    native.synchronize("mps");
    rounds.push(performance.now() - began);
  }
  return rounds.slice(1).sort((one, other) => one - other)[2]!;
}

/**
 * Rounding up is worth it if a product of odd sizes takes this many times as long as a larger product of even sizes.
 */
const WORTH_ROUNDING = 1.1;

const ofKernels = (run: Probe["run"]): Probe => ({ judges: "kernels", run });
const ofRules = (run: Probe["run"]): Probe => ({ judges: "rules", run });

const PROBES = {
  layerNorm: ofKernels(() =>
    compared("LayerNorm, forward and backward, of rows far from zero", (device) =>
      withGradient(steep(device), (x) => torchFunctions.layerNorm(x, [96])),
    ),
  ),
  largerEps: ofKernels(() =>
    compared("LayerNorm with eps 1e-5 of rows that hardly vary", (device) =>
      withGradient(numbers([8, 64], device).mul(1e-4), (x) =>
        torchFunctions.layerNorm(x, [64], null, null, 1e-5),
      ),
    ),
  ),
  batchNorm3d: ofKernels(() =>
    compared("BatchNorm3d, forward and backward", (device) =>
      withGradient(numbers([2, 4, 3, 5, 6], device), (x) =>
        functional.batchNorm(x, null, null, { training: true }),
      ),
    ),
  ),
  sparseMatmul: ofKernels(() =>
    compared("a product of a sparse matrix with a dense one", (device) =>
      sparse()
        .to(device)
        .matmul(numbers([4, 3], device)),
    ),
  ),
  sparseToDense: ofKernels(() =>
    compared("toDense() of a sparse matrix", (device) => sparse().to(device).toDense()),
  ),
  inPlace: ofKernels(() =>
    compared("operators in place on a transposed view", (device) => {
      const x = numbers([6, 5], device);
      const view = x.t();
      view.add_(numbers([5, 6], device)).mul_(2);
      view.addcmul_(numbers([5, 6], device), numbers([5, 6], device), { value: 0.5 });
      return x;
    }),
  ),
  multiplesOf8: ofKernels(() => {
    const [odd, even] = [productMs(509), productMs(512)];
    return {
      needed: odd > even * WORTH_ROUNDING,
      evidence: `a product of 509 x 509 takes ${odd.toFixed(2)} ms, one of 512 x 512 ${even.toFixed(2)} ms`,
    };
  }),
  float64: ofRules(() =>
    attempted("a float64 tensor", () =>
      torchFunctions.zeros([1], { dtype: "float64", device: "mps" as string }),
    ),
  ),
} satisfies Record<string, Probe>;

export type Workaround = keyof typeof PROBES;

function sparse(): Tensor {
  return sparseCooTensor(
    [
      [0, 1, 1],
      [2, 0, 3],
    ],
    [3, 4, 5],
    [2, 4],
    { dtype: "float32" },
  );
}

const WORKAROUNDS = Object.keys(PROBES) as Workaround[];
/** Findings by the planted fault, and by workaround. */
const found = new Map<string, Finding>();

/**
 * Whether the installed PyTorch still needs a workaround on this device, measured once a session.
 *
 * @throws TypeError if there is no mps device, and for a name that is not a workaround's
 */
export function check(workaround: Workaround): Finding {
  const call = "mps.workarounds.check";
  checkChoice(call, "the workaround", workaround, WORKAROUNDS);
  requireMetal(call);
  const key = `${simulation()?.fault ?? ""} ${workaround}`;
  let known = found.get(key);
  if (known === undefined) found.set(key, (known = finding(workaround, PROBES[workaround])));
  return known;
}

/** The findings on all workarounds, in a form for `console.table`. */
export function checkAll(): Finding[] {
  requireMetal("mps.workarounds.checkAll");
  return WORKAROUNDS.map((workaround) => check(workaround));
}
