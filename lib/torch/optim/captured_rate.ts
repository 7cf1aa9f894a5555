// The learning rate of a captured step on CUDA. A graph's numbers cannot be changed, so its kernels read the rate from a
// tensor, which is written before each replay.
import { noGrad } from "../autograd/autograd.ts";
import { guardCapture, isCapturing, numbersReadAtReplay, preparation } from "../engine/captured_effects.ts";
import { native } from "../engine/native.ts";
import { torchFunctions } from "../tensor/operators.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { DeviceName } from "../vocabulary/device_name.ts";

interface Rate {
  readonly tensor: Tensor;
  value: number;
}

const rates = new WeakMap<object, Rate>();

function makeRate(value: number, device: DeviceName): Rate {
  const tensor = torchFunctions.zeros([], { dtype: "float32", device }).fill_(value);
  native.keep(tensor);
  return { tensor, value };
}

/**
 * The rate with which a fused kernel is to be called next, and the other numbers that it takes, which a replay follows
 * too. A tensor where a graph of CUDA may be captured, else a number.
 */
export function capturedRate(
  group: { readonly lr: number },
  device: DeviceName,
  others: () => Readonly<Record<string, number>>,
): number | Tensor {
  if (!isCapturing() || !device.startsWith("cuda")) {
    numbersReadAtReplay(() => ({ lr: group.lr, ...others() }));
    return group.lr;
  }
  const captured = others();
  guardCapture(() => {
    const now = others();
    return Object.entries(captured).every(([name, value]) => now[name] === value);
  });
  let rate = rates.get(group);
  preparation(
    () => group.lr,
    (value) => {
      if (rate === undefined) rates.set(group, (rate = makeRate(value, device)));
      const own = rate;
      if (own.value !== value) noGrad(() => own.tensor.fill_((own.value = value)));
    },
  );
  return rate!.tensor;
}
