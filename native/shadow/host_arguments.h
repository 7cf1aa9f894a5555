// Copies the arguments of an operator to the CPU as they are: strides, storage offsets, dtypes, and which of
// them share memory. Knows nothing of operators.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/core/stack.h>
#include <c10/util/FunctionRef.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace mpslab::shadow {

using Values = c10::ArrayRef<const c10::IValue>;

inline Values valuesOf(const std::vector<c10::IValue>& values) {
  return Values(values.data(), values.size());
}

/// Calls `use` with every defined tensor of a value, those of lists too.
void forEachTensor(const c10::IValue& value, c10::function_ref<void(const at::Tensor&)> use);

/// Half the distance from 1 to the next number of a floating-point dtype, 0 for all others.
double unitRoundoff(at::ScalarType dtype);

/// How the copies stand on a stack.
struct Form {
  /// Floating-point tensors in double precision.
  bool isDouble = false;
  /// Each floating-point number moved by one rounding of its own dtype, up or down by a draw of this seed.
  std::optional<uint64_t> movedBy;
};

class HostArguments {
 public:
  /// Why the arguments of a call cannot be copied; empty where they can.
  static std::string refusal(Values arguments);

  /// Waits for the device. `float32Rounding`: that which the device makes of float32 arguments.
  HostArguments(Values arguments, double float32Rounding);

  /// The arguments of a call on the CPU. The operator may write them.
  torch::jit::Stack stack(const Form& form = {}) const;

  /// The largest rounding among the floating-point tensors, 0 where there are none.
  double unitRoundoff() const { return unitRoundoff_; }

  /// Elements of the memory behind a tensor of the arguments, from `start` on: what the tensor can see.
  struct Memory {
    at::Tensor elements;
    int64_t start = 0;
  };
  /// A tensor of the arguments as it was before the call, which may transpose or resize it.
  struct Seen {
    /// Arguments with one number share their memory.
    size_t memoryNumber;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
    int64_t offset;
  };
  const Seen& seenOf(const at::Tensor& argument) const { return seen_.at(argument.unsafeGetTensorImpl()); }
  const Memory& memoryOf(const Seen& seen) const { return memory_[seen.memoryNumber]; }

 private:
  std::vector<c10::IValue> given_;
  std::vector<Memory> memory_;
  std::unordered_map<const at::TensorImpl*, Seen> seen_;
  /// The rounding that the device makes of arguments of a dtype.
  double roundingOf(at::ScalarType dtype) const;

  double float32Rounding_;
  double unitRoundoff_ = 0;
};

/// A copy of a tensor on the CPU, with its strides.
at::Tensor hostCopy(const at::Tensor& tensor);

}  // namespace mpslab::shadow
