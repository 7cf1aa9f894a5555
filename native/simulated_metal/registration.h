// Which kernels the simulated device has: the host's for every operator that runs on it, its own for what
// makes tensors. Runs nothing.
#pragma once
#include <string>

namespace mpslab::metal {

/// Once, when the device is switched on. `kernels`: the operators that PyTorch has kernels of for Metal,
/// apart by spaces.
void registerKernels(const std::string& kernels);

}  // namespace mpslab::metal
