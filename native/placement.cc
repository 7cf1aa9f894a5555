// Whether the tensors of a call are where they may meet, found before libtorch does: it tells by the names of
// its own C++ wrappers. Knows no operator but by its plan.
#include "placement.h"

#include "errors.h"

namespace mpslab {
namespace {

/// The device that the tensors seen so far agree on.
class Agreement {
 public:
  /// False where this tensor is elsewhere.
  bool takes(const at::Tensor& tensor) {
    if (!tensor.defined() || (tensor.device().is_cpu() && tensor.dim() == 0)) return true;
    if (!device_) device_ = tensor.device();
    return *device_ == tensor.device();
  }
  const at::Device& device() const { return *device_; }

 private:
  std::optional<at::Device> device_;
};

[[noreturn]] void throwMismatch(Environment& environment, const Operator& op, const Overload& overload,
                                const Binding& binding, at::Device device, at::Device other) {
  throwError(environment, ErrorClass::DeviceMismatch,
             op.name + "(): all tensors must be on the same device, but got " + device.str() + " and " +
                 other.str() + " (" + describeArguments(environment, overload, binding) +
                 "). Move one with .to(\"" + device.str() + "\").");
}

/// The first tensor of a list that is elsewhere, nullptr where they agree.
const at::Tensor* firstElsewhere(Environment& environment, const Value& list, Agreement& agreement) {
  const uint32_t count = lengthOf(environment, list);
  for (uint32_t i = 0; i < count; ++i) {
    const Value value = elementAt(environment, list, i);
    if (value.handle != nullptr && !agreement.takes(value.handle->tensor)) return &value.handle->tensor;
  }
  return nullptr;
}

}  // namespace

void checkDevices(Environment& environment, const Operator& op, const Overload& overload,
                  const Binding& binding) {
  // Without a device all tensors are on the CPU; meta tensors are told by libtorch.
  if (overload.mixesDevices || !environment.usesDevice()) return;
  Agreement agreement;
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Value* value = binding.values[i];
    if (value == nullptr || overload.parameters[i].type != Type::Tensor || overload.parameters[i].onHost)
      continue;
    const at::Tensor* elsewhere = nullptr;
    if (value->handle != nullptr) {
      if (!agreement.takes(value->handle->tensor)) elsewhere = &value->handle->tensor;
    } else if (value->kind == Value::Kind::Array) {
      elsewhere = firstElsewhere(environment, *value, agreement);
    }
    if (elsewhere != nullptr) [[unlikely]]
      throwMismatch(environment, op, overload, binding, agreement.device(), elsewhere->device());
  }
}

}  // namespace mpslab
