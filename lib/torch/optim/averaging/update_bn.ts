// Recomputes the running statistics of batch norms, which averaged weights need because no training step used them.
import type { DeviceName, DeviceText } from "../../vocabulary/device_name.ts";
import { noGrad } from "../../autograd/autograd.ts";
import { requireDevice } from "../../engine/device.ts";
import { Module } from "../../nn/module/module.ts";
import { BatchNorm } from "../../nn/normalization/batch.ts";
import { requireModule } from "../../nn/module/require_module.ts";
import { tidy } from "../../tensor/scope.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { checkIterable, checkTensor } from "../../tensor/tensor_arguments.ts";
import { AveragedModel } from "./model.ts";

/** A batch as loaders give it: a tensor, or a list whose first element is the model's input. */
export type InputBatch = Tensor | readonly [Tensor, ...unknown[]];

/**
 * One pass of a loader's batches through a model in training mode, after which its batch norms have the mean statistics
 * of all batches. Nothing else of the model changes. Batches are moved to `device` before, if it is given
 * (`torch/optim/swa_utils.py`).
 */
export function updateBn(loader: Iterable<InputBatch>, model: Module, device?: DeviceText): void {
  const call = "optim.updateBn";
  checkIterable(call, "loader", loader);
  requireModule(call, model);
  const target = device === undefined ? undefined : requireDevice(device);
  if (model instanceof AveragedModel) model.run((own) => gather(call, loader, own, target));
  else gather(call, loader, model, target);
}

function gather(
  call: string,
  loader: Iterable<InputBatch>,
  model: Module,
  device: DeviceName | undefined,
): void {
  const modules = model.modules();
  const norms = modules.filter((module) => module instanceof BatchNorm);
  if (norms.length === 0) return;
  const before = modules.map(({ training }) => training);
  const momenta = norms.map(({ momentum }) => momentum);
  const run = model as unknown as (input: Tensor) => unknown;
  try {
    model.train();
    for (const norm of norms) {
      norm.resetRunningStats();
      norm.momentum = null; // the mean over all batches
    }
    for (const batch of loader) {
      const input: unknown = Array.isArray(batch) ? batch[0] : batch;
      tidy(() => {
        const tensor = checkTensor(call, "a batch", input);
        noGrad(() => run(device === undefined ? tensor : tensor.to({ device })));
      });
    }
  } finally {
    for (const [i, norm] of norms.entries()) norm.momentum = momenta[i]!;
    for (const [i, module] of modules.entries()) module.training = before[i]!;
  }
}
