// Records allocations and releases of a device whose allocator reports none, as PyTorch's Metal allocator
// (aten/src/ATen/mps/MPSAllocator.mm calls its callbacks for failures alone): a storage is allocated when an
// operator's result has it for the first time, and released when libtorch lets go of it. Memory that a kernel
// takes and frees by itself is not seen. Knows neither lines nor JavaScript.
#pragma once
#include <ATen/record_function.h>
#include <c10/core/Device.h>

namespace mpslab {

/// Observes the operators of this thread, and of the threads of their backwards, while it lives. One at a
/// time.
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
