// Checks devices before libtorch does, because libtorch's message names its own C++ wrappers.
#include "call/placement.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "addon/errors.h"
#include "device/devices.h"
#include "tensor/generator_object.h"

namespace mpslab {
namespace {

/// The device of the tensors seen so far. CPU scalars do not count, because they may meet any device.
class Agreement {
 public:
  /// Returns false if this tensor is on another device.
  bool takes(const at::Tensor& tensor) {
    if (!tensor.defined() || (tensor.device().is_cpu() && tensor.dim() == 0)) return true;
    if (!device_) device_ = tensor.device();
    return *device_ == tensor.device();
  }
  const at::Device& device() const { return *device_; }

 private:
  std::optional<at::Device> device_;
};

/// A tensor of a call by the name of its parameter: `input`, `tensors[1]`.
struct Named {
  std::string name;
  at::Tensor tensor;
};

std::vector<Named> tensorsOf(Environment& environment, const Overload& overload, const Binding& binding) {
  std::vector<Named> found;
  const auto add = [&](const std::string& name, const Value& value) {
    if (value.handle == nullptr) return;
    const at::Tensor& tensor = value.handle->tensor;
    if (tensor.defined() && !(tensor.is_cpu() && tensor.dim() == 0)) found.push_back({name, tensor});
  };
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Parameter& parameter = overload.parameters[i];
    const Value* value = binding.values[i];
    if (value == nullptr || parameter.type != Type::Tensor || parameter.onHost) continue;
    add(parameter.camelName, *value);
    if (value->kind != Value::Kind::Array) continue;
    const uint32_t count = lengthOf(environment, *value);
    for (uint32_t k = 0; k < count; ++k)
      add(parameter.camelName + "[" + std::to_string(k) + "]", elementAt(environment, *value, k));
  }
  return found;
}

bool isNamedAsInLayers(const Named& named) {
  static constexpr std::string_view kNames[] = {"weight", "bias", "runningMean", "runningVar", "params["};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return named.name.starts_with(name); });
}

/// Returns whether a tensor belongs to a layer. It has gradients or, if it is frozen, one of the names that
/// layers use.
bool isOfModel(const Named& named) {
  return (named.tensor.requires_grad() && named.tensor.is_leaf()) || isNamedAsInLayers(named);
}

/// Returns the tensor to whose device the others should move. A tensor on an accelerator was moved there on
/// purpose; one on the CPU was forgotten, even if it is a model's. If several are on accelerators, a model's
/// tensor stays.
const Named& staying(const std::vector<Named>& tensors) {
  const auto isMoved = [](const Named& named) { return !named.tensor.is_cpu(); };
  const auto model = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const Named& named) { return isMoved(named) && isOfModel(named); });
  if (model != tensors.end()) return *model;
  const auto moved = std::find_if(tensors.begin(), tensors.end(), isMoved);
  return moved != tensors.end() ? *moved : tensors.front();
}

/// `mps:0` -> `mps`, as users write it.
std::string written(at::Device device) {
  return device.has_index() && device.index() > 0 ? device.str()
                                                  : at::DeviceTypeName(device.type(), /*lower_case=*/true);
}

/// ` Move input with .to("mps").`, ` Move weight, and with it its model, with .to("mps").`
std::string wayOutOf(const std::vector<Named>& tensors) {
  if (tensors.empty()) return "";
  const at::Device home = staying(tensors).tensor.device();
  const auto moving = std::find_if(tensors.begin(), tensors.end(),
                                   [&](const Named& named) { return named.tensor.device() != home; });
  if (moving == tensors.end()) return "";
  const std::string model = isNamedAsInLayers(*moving) ? ", and with it its model," : "";
  return " Move " + moving->name + model + " with .to(\"" + written(home) + "\").";
}

[[noreturn]] void throwMismatch(Environment& environment, const Operator& op, const Overload& overload,
                                const Binding& binding, at::Device device, at::Device other) {
  const std::string wayOut = wayOutOf(tensorsOf(environment, overload, binding));
  throwError(environment, ErrorClass::DeviceMismatch,
             op.name + "(): all tensors must be on the same device, but got " + device.str() + " and " +
                 other.str() + " (" + describeArguments(environment, overload, binding) + ")." + wayOut);
}

/// Returns the first tensor of a list that is on another device, nullptr if there is none.
const at::Tensor* firstElsewhere(Environment& environment, const Value& list, Agreement& agreement) {
  const uint32_t count = lengthOf(environment, list);
  for (uint32_t i = 0; i < count; ++i) {
    const Value value = elementAt(environment, list, i);
    if (value.handle != nullptr && !agreement.takes(value.handle->tensor)) return &value.handle->tensor;
  }
  return nullptr;
}

/// Returns the device on which the call draws: the one that it names, else that of its tensors, else the CPU.
at::Device placeOfDraws(Environment& environment, const Overload& overload, const Binding& binding) {
  const Value* named = overload.device < 0 ? nullptr : binding.values[static_cast<size_t>(overload.device)];
  if (named != nullptr && named->kind == Value::Kind::String)
    return deviceArgument(environment, Napi::Value(environment.env, named->js), "device");
  at::Device place = at::kCPU;
  for (size_t i = 0; i < overload.parameters.size(); ++i) {
    const Value* value = binding.values[i];
    if (value == nullptr || value->handle == nullptr || !value->handle->tensor.defined()) continue;
    place = value->handle->tensor.device();
    // A CPU tensor decides nothing yet: it may be a scalar beside tensors of a device.
    if (!place.is_cpu()) break;
  }
  return place;
}

/// Refuses a generator of another kind of device, as CUDA's and Metal's kernels do. The simulated device's
/// kernels would draw from it.
void checkGenerator(Environment& environment, const Operator& op, const Overload& overload,
                    const Binding& binding) {
  if (overload.generator < 0) [[likely]]
    return;
  const Value* value = binding.values[static_cast<size_t>(overload.generator)];
  if (value == nullptr || value->kind != Value::Kind::Generator) return;
  const at::Device own = generatorOf(environment.env, value->js)->device();
  const at::Device place = placeOfDraws(environment, overload, binding);
  if (own.type() == place.type() || place.is_meta()) return;
  const std::string wanted = written(place);
  throwError(environment, ErrorClass::DeviceMismatch,
             op.name + "(): Expected a '" + wanted + "' device type for generator but found '" +
                 written(own) + "' (" + describeArguments(environment, overload, binding) +
                 "). Make the generator with new torch.Generator(\"" + wanted + "\").");
}

}  // namespace

void checkDevices(Environment& environment, const Operator& op, const Overload& overload,
                  const Binding& binding) {
  checkGenerator(environment, op, overload, binding);
  // If no device is in use, all tensors are on the CPU, or on meta, whose errors libtorch words itself.
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
