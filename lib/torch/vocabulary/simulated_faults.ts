// Names the faults that can be planted in kernels of simulated Metal. Each follows one that Metal had, as reported to
// PyTorch (`native/simulated_metal/kernels/faults.cc` has the reports' numbers).

export const SIMULATED_FAULTS = [
  "conv2d wrong for non-contiguous weights",
  "bmm wrong past 2^16 elements",
  "addcmul_ and addcdiv_ lost for non-contiguous outputs",
  "softplus zero after moveaxis",
  "layer_norm ignores where a slice begins",
  "batch_norm backward wrong for channels-last inputs",
  "layer_norm weight gradients wrong for inputs without gradient",
  "linear wrong for sliced weights",
  "cumsum of int64 gives its input",
  "scatter_ lost after permute",
] as const;

export type SimulatedFault = (typeof SIMULATED_FAULTS)[number];
