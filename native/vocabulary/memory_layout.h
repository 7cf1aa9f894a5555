// Says whether tensors lie alike in memory. Kernels that walk through several tensors side by side need it.
#pragma once
#include <ATen/core/Tensor.h>

namespace mpslab {

/// Whether two dense tensors have the same dtype, device and shape, and each element at the same position in
/// memory. The stride of a dimension of size 1 is ignored.
inline bool liesAlike(const at::Tensor& tensor, const at::Tensor& other) {
  if (tensor.layout() != at::kStrided || other.layout() != at::kStrided ||
      tensor.scalar_type() != other.scalar_type() || tensor.device() != other.device() ||
      tensor.sizes() != other.sizes() || !other.is_non_overlapping_and_dense())
    return false;
  if (tensor.strides() == other.strides()) return true;
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    if (tensor.size(dim) != 1 && tensor.stride(dim) != other.stride(dim)) return false;
  }
  return tensor.is_non_overlapping_and_dense();
}

}  // namespace mpslab
