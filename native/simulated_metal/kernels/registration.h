// Registers the simulated device's kernels: the CPU's for every operator that runs on the device, its own for
// operators that make tensors.
#pragma once
#include <string>

#include "simulated_metal/kernels/sparse.h"

namespace mpslab::metal {

/// The operators for which PyTorch has Metal kernels, separated by spaces.
struct MetalKernels {
  std::string strided;
  SparseKernels sparse;
};

/// Once, when the device is switched on.
void registerKernels(const MetalKernels& kernels);

}  // namespace mpslab::metal
