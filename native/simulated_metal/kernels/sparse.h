// Registers kernels for sparse COO tensors on the simulated device.
#pragma once
#include <torch/library.h>

#include <string>

namespace mpslab::metal {

/// Names of operators with their overloads, separated by spaces: those that PyTorch computes on sparse Metal
/// tensors with the function for every device, and those with a kernel of Metal's own.
struct SparseKernels {
  std::string shared;
  std::string own;
};

/// `strided` is the library of the device's other kernels, which makes sparse tensors of strided ones.
void registerSparseKernels(const SparseKernels& kernels, torch::Library& strided);

}  // namespace mpslab::metal
