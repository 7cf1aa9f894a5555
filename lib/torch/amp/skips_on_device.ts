// The step of a GradScaler inside a captured step, where the host does not ask whether a gradient was infinite. The
// optimizer's kernel skips the step by itself, and the device counts the skips until the ledger asks.
import { noGrad } from "../autograd/autograd.ts";
import { isCapturing, noteMadeState } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";
import { askLater, noteSkippedSteps } from "./skipped_steps.ts";

/** An optimizer whose kernel can skip a step. */
interface StepsUnless {
  stepUnless?(foundInf: Tensor): void;
}

/** Tensors on the device. */
interface Counts {
  readonly steps: Tensor;
  /** The scale at the last skip. */
  readonly lastScale: Tensor;
}

/** A number on a device that outlives the step that made it. */
export function keptScalar(
  value: number,
  device: DeviceName,
  dtype: "float32" | "int32" = "float32",
): Tensor {
  const tensor = torchFunctions.zeros([], { dtype, device }).fill_(value);
  native.keep(tensor);
  return tensor;
}

/** The steps that the captured steps of one scaler skipped. */
export class SkipsOnDevice {
  /** By the optimizer's class. */
  readonly #counts = new Map<string, Counts>();

  /**
   * @throws TypeError for an optimizer that cannot skip a step without the host, or that has parameters on several
   *   devices
   */
  step(optimizer: StepsUnless, [foundInf, ...others]: readonly Tensor[], scale: Tensor): void {
    if (optimizer.stepUnless === undefined || foundInf === undefined || others.length > 0) {
      throw new TypeError(
        "torch.capture: GradScaler.step works inside of a captured step with one of this library's SGD, Adam or AdamW, on one device: keep scaler.step() outside of the step.",
      );
    }
    optimizer.stepUnless(foundInf);
    const device = native.device(foundInf);
    const { steps, lastScale } = this.#countsOf(optimizer, device);
    noGrad(() => {
      steps.add_(foundInf);
      lastScale.copy_(torchFunctions.where(foundInf.gt(0), scale.to(device), lastScale));
    });
  }

  #countsOf(optimizer: StepsUnless, device: DeviceName): Counts {
    const name = optimizer.constructor.name;
    let counts = this.#counts.get(name);
    if (counts === undefined) {
      noteMadeState(
        () => "GradScaler.step met a new optimizer where the step's graph was captured: call reset().",
      );
      counts = { steps: keptScalar(0, device), lastScale: keptScalar(0, device) };
      if (this.#counts.size === 0) askLater(this);
      this.#counts.set(name, counts);
    }
    return counts;
  }

  /** Reports the steps that were skipped since the last call to the ledger. Waits for the device. */
  tellSkippedSteps(): void {
    if (isCapturing()) return;
    for (const [optimizer, { steps, lastScale }] of this.#counts) {
      const count = steps.item() as number;
      if (count === 0) continue;
      noteSkippedSteps({ optimizer, steps: count, scale: lastScale.item() as number });
      noGrad(() => steps.zero_());
    }
  }
}
