// Registers the kernels that make tensors of the simulated device without computing: empty tensors, views,
// copies between devices.
#pragma once
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <string>
#include <unordered_set>

namespace mpslab::metal {

/// Registers them, and gives the operators' names: `view`, `set_.source_Storage`.
std::unordered_set<std::string> registerFactories(torch::Library& library);

/// Gives the tensor another, contiguous shape. Its memory grows if it is too small, and keeps its elements.
void resizeOnDevice(const at::Tensor& tensor, at::IntArrayRef sizes);

/// Throws, with PyTorch's text, for a dtype that Metal lacks.
void requireDtype(at::ScalarType dtype);

}  // namespace mpslab::metal
