// Which kernels the simulated device has: the host's for every operator that runs on it, its own for what
// makes tensors. Runs nothing.
#pragma once
#include <string>

#include "simulated_metal/kernels/sparse.h"

namespace mpslab::metal {

/// The operators that PyTorch has kernels of for Metal, apart by spaces.
struct MetalKernels {
  std::string strided;
  SparseKernels sparse;
};

/// Once, when the device is switched on.
void registerKernels(const MetalKernels& kernels);

}  // namespace mpslab::metal
