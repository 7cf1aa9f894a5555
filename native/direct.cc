// Calls of the commonest signatures without boxing. Knows signatures, not operators.
#include "direct.h"

#include <ATen/core/jit_type.h>

#include "convert.h"
#include "resolve.h"
#include "tensor.h"

namespace mpslab {
namespace {

bool isTensor(const Parameter& parameter) {
  return parameter.type == Type::Tensor && !parameter.list && !parameter.optional;
}

/// `SymInt[]`, which C++ takes as another type than `int[]`.
bool isSizes(const Overload& overload, size_t index) {
  const auto& type = overload.handle.schema().arguments()[index].real_type();
  const auto* list = type->castRaw<c10::ListType>();
  return list != nullptr && list->getElementType()->kind() == c10::TypeKind::SymIntType;
}

/// A tensor parameter's value: the tensor, or the number that stands for it.
at::Tensor tensorAt(Environment& environment, const std::string& where, const Overload& overload,
                    const Binding& binding, size_t index) {
  const Value& value = *binding.values[index];
  if (value.handle != nullptr) return tensorOf(environment, *value.handle);
  return toIValue(environment, value, overload.parameters[index], where).toTensor();
}

}  // namespace

Direct::Direct(const Overload& overload) {
  const auto& parameters = overload.parameters;
  const bool returnsTensor = overload.results.size() == 1 && overload.results[0].type == Type::Tensor &&
                             !overload.results[0].list && !overload.writes;
  if (!returnsTensor || parameters.empty() || parameters.size() > 3 || !isTensor(parameters[0])) return;
  const auto& handle = overload.handle;
  if (parameters.size() == 1) {
    signature_ = handle.typed<at::Tensor(const at::Tensor&)>();
  } else if (parameters.size() == 2 && isTensor(parameters[1])) {
    signature_ = handle.typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
  } else if (parameters.size() == 2 && isSizes(overload, 1) && !parameters[1].optional) {
    signature_ = handle.typed<at::Tensor(const at::Tensor&, c10::SymIntArrayRef)>();
  } else if (parameters.size() == 2 && parameters[1].type == Type::Dtype && parameters[1].optional) {
    signature_ = handle.typed<at::Tensor(const at::Tensor&, std::optional<at::ScalarType>)>();
  } else if (parameters.size() == 3 && isTensor(parameters[1]) && parameters[2].type == Type::Number &&
             !parameters[2].list && !parameters[2].optional) {
    signature_ = handle.typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&)>();
  }
}

at::Tensor Direct::call(Environment& environment, const std::string& where, const Overload& overload,
                        const Binding& binding) const {
  const auto tensor = [&](size_t index) { return tensorAt(environment, where, overload, binding, index); };
  const at::Tensor first = tensor(0);
  if (const auto* unary = std::get_if<Unary>(&signature_)) return unary->call(first);
  if (const auto* binary = std::get_if<Binary>(&signature_)) return binary->call(first, tensor(1));
  const size_t last = overload.parameters.size() - 1;
  const Parameter& parameter = overload.parameters[last];
  const Value* given = binding.values[last];
  if (const auto* scaled = std::get_if<BinaryScaled>(&signature_)) {
    const at::Scalar scale = given == nullptr ? parameter.defaultValue->toScalar()
                                              : toIValue(environment, *given, parameter, where).toScalar();
    return scaled->call(first, tensor(1), scale);
  }
  if (const auto* sized = std::get_if<Sized>(&signature_)) {
    const Integers sizes = toIntegers(environment, *given, parameter, where);
    return sized->call(first, c10::fromIntArrayRefUnchecked(sizes));
  }
  std::optional<at::ScalarType> dtype;
  if (given != nullptr) dtype = toIValue(environment, *given, parameter, where).toOptional<at::ScalarType>();
  return std::get<Reduction>(signature_).call(first, dtype);
}

}  // namespace mpslab
