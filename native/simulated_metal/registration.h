// Which kernels the simulated device has: the host's for every operator that runs on it, its own for what
// makes tensors. Runs nothing.
#pragma once

namespace mpslab::metal {

/// Once, when the device is switched on.
void registerKernels();

}  // namespace mpslab::metal
