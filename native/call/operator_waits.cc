// Decides which calls make the host wait: those whose result's shape or value depends on the elements, and
// copies between kinds of devices. Sources: the tags `dynamic_output_shape` and `data_dependent_output` of
// native_functions.yaml; copy_ in ATen/native/cuda/Copy.cu and mps/operations/Copy.mm, which wait for the
// queue both ways unless `non_blocking`.
#include "call/operator_waits.h"

#include <optional>

#include "addon/waiting.h"
#include "tensor/tensor.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

const Value* valueOf(const Overload& overload, const Binding& binding, std::string_view parameter) {
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    if (overload.parameters[i].name == parameter) return binding.values[i];
  }
  return nullptr;
}

/// What is known of the devices that a call names or has tensors on.
struct Devices {
  /// A device that queues its work, if the call uses one.
  std::optional<at::Device> queued;
  bool several = false;
};

Devices devicesOf(Environment& environment, const Overload& overload, const Binding& binding) {
  Devices devices;
  std::optional<at::DeviceType> first;
  const auto note = [&](at::Device device) {
    if (!device.is_cpu() && !device.is_meta()) devices.queued = device;
    devices.several = devices.several || (first && *first != device.type());
    first = device.type();
  };
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Value* value = binding.values[i];
    if (value == nullptr) continue;
    if (value->handle != nullptr) {
      note(tensorOf(environment, *value->handle).device());
    } else if (overload.parameters[i].type == Type::Device && value->kind == Value::Kind::String) {
      if (const auto named = deviceOf(toUtf8(environment.env, value->js))) note(*named);
    }
  }
  return devices;
}

/// Whether a list of indices holds a mask: its true elements are counted on the host.
bool indexesByMask(Environment& environment, const Overload& overload, const Binding& binding) {
  const Value* indices = valueOf(overload, binding, "indices");
  if (indices == nullptr || indices->kind != Value::Kind::Array) return false;
  const uint32_t count = lengthOf(environment, *indices);
  for (uint32_t i = 0; i < count; ++i) {
    const Value value = elementAt(environment, *indices, i);
    if (value.handle == nullptr) continue;
    const auto type = tensorOf(environment, *value.handle).scalar_type();
    if (type == at::kBool || type == at::kByte) return true;
  }
  return false;
}

bool waits(Environment& environment, const Overload& overload, const Binding& binding,
           const Devices& devices) {
  switch (overload.waits) {
    case Waits::Never:
      return false;
    case Waits::Always:
      return true;
    case Waits::ForMask:
      return indexesByMask(environment, overload, binding);
    case Waits::BetweenKinds: {
      const Value* nonBlocking = valueOf(overload, binding, "non_blocking");
      return devices.several && (nonBlocking == nullptr || !nonBlocking->boolean);
    }
  }
  return false;
}

}  // namespace

void waitBeforeOperator(Environment& environment, const Overload& overload, const Binding& binding) {
  const Devices devices = devicesOf(environment, overload, binding);
  if (devices.queued && waits(environment, overload, binding, devices))
    waitForDevice(environment, *devices.queued);
}

}  // namespace mpslab
