// Declares what the architecture table trains: a small model of a kind, its optimizer and its step.
import type { DeviceName } from "../../../torch/vocabulary/device_name.ts";
import type { Module } from "../../../torch/nn/module/module.ts";
import type { Tensor } from "../../../torch/tensor/tensor.ts";

export interface Subject {
  /** All models that are trained: a GAN has two. */
  readonly models: readonly Module[];
  /** One whole training step on data that stays the same. */
  step(): Tensor;
}

export interface Architecture {
  readonly name: string;
  /** The model's parts and its source. */
  readonly source: string;
  build(device: DeviceName): Subject;
}
