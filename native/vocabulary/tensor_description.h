// Describes tensors for messages.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>

namespace mpslab {

/// `float32 [2, 3]`, with the device unless it is the CPU.
std::string describe(const at::Tensor& tensor);

/// `[2, 3]`
std::string describeShape(at::IntArrayRef shape);

}  // namespace mpslab
