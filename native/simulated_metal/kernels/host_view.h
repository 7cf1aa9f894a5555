// Makes a CPU tensor over the memory of a tensor of the simulated device, and back. Memory is unified, so
// nothing is copied.
#pragma once
#include <ATen/core/Tensor.h>

namespace mpslab::metal {

/// Returns the tensor that a host kernel gets in place of the device's tensor. It has the present shape, and
/// memory that it does not own.
at::Tensor hostView(const at::Tensor& tensor);

/// The same over a storage that a kernel may resize: `out=` tensors whose shape is not known yet.
at::Tensor resizableHostView(const at::Tensor& tensor);

/// A tensor with only shape and dtype, for libtorch's Meta kernels.
at::Tensor metaView(const at::Tensor& tensor);

/// The device's tensor for a view that a host kernel returned over the memory of `base`.
at::Tensor deviceView(const at::Tensor& base, const at::Tensor& host);

/// A tensor of the device with a copy of what the host holds.
at::Tensor copyToDevice(const at::Tensor& host);

at::Tensor emptyOnDevice(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype);

}  // namespace mpslab::metal
