// Records allocations and releases of a device whose allocator reports none. PyTorch's Metal allocator is
// one: aten/src/ATen/mps/MPSAllocator.mm calls its callbacks only for failures. A storage counts as allocated
// when it first occurs in an operator's result, and as released when libtorch frees it. Memory that a kernel
// allocates and frees itself is not seen. Knows neither lines nor JavaScript.
#pragma once
#include <ATen/record_function.h>
#include <c10/core/Device.h>

namespace mpslab {

/// While it lives, observes the operators of this thread, and those of the threads that run their backwards.
/// Only one may exist at a time.
class ResultStorages {
 public:
  explicit ResultStorages(c10::DeviceType device);
  ~ResultStorages();
  ResultStorages(const ResultStorages&) = delete;
  ResultStorages& operator=(const ResultStorages&) = delete;

 private:
  at::CallbackHandle callback_;
};

}  // namespace mpslab
