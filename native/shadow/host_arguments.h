// Copies the arguments of an operator to the CPU with their strides, storage offsets and dtypes; copies share
// memory as the arguments do. Knows nothing of operators.
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

/// The form in which `stack` returns the copies.
struct Form {
  /// Floating-point tensors in double precision.
  bool isDouble = false;
  /// If given, each floating-point number is moved by one rounding of its own dtype, up or down at random;
  /// this is the seed.
  std::optional<uint64_t> movedBy;
};

class HostArguments {
 public:
  /// Why a call's arguments cannot be copied; empty if they can.
  static std::string refusal(Values arguments);

  /// Waits for the device. `float32Rounding` is the rounding with which the device reads float32 arguments.
  HostArguments(Values arguments, double float32Rounding);

  /// The arguments of a call, on the CPU. New copies each time, which the operator may write.
  torch::jit::Stack stack(const Form& form = {}) const;

  /// The largest rounding of the floating-point tensors' dtypes, 0 if there are no such tensors.
  double unitRoundoff() const { return unitRoundoff_; }

  /// The memory behind tensors of the arguments: its elements from `start` on, as far as the tensors see
  /// them.
  struct Memory {
    at::Tensor elements;
    int64_t start = 0;
  };
  /// The geometry that a tensor had before the call, which may transpose or resize it.
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
  /// The rounding with which the device reads arguments of a dtype.
  double roundingOf(at::ScalarType dtype) const;

  double float32Rounding_;
  double unitRoundoff_ = 0;
};

/// A copy of a tensor on the CPU, with its strides.
at::Tensor hostCopy(const at::Tensor& tensor);

}  // namespace mpslab::shadow
