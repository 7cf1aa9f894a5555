// On a stack, values of a schema's enumerations are integers. The schema says which of them are dtypes.
#include "shadow/finding.h"

#include <ATen/core/jit_type.h>

#include "tensor/scalar.h"
#include "tensor/tensor.h"
#include "vocabulary/dtype.h"

namespace mpslab::shadow {
namespace {

template <typename Numbers>
Napi::Array arrayOf(Napi::Env env, const Numbers& numbers) {
  Napi::Array array = Napi::Array::New(env, numbers.size());
  for (uint32_t i = 0; i < numbers.size(); ++i)
    array.Set(i, Napi::Number::New(env, static_cast<double>(numbers[i])));
  return array;
}

Napi::Object named(Napi::Env env, const char* kind, std::string_view name) {
  Napi::Object object = Napi::Object::New(env);
  object.Set(kind, std::string(name));
  return object;
}

Napi::Object tensorToJavaScript(Environment& environment, const HostArguments& arguments,
                                const at::Tensor& tensor) {
  const Napi::Env env = environment.env;
  const HostArguments::Seen& seen = arguments.seenOf(tensor);
  const HostArguments::Memory& memory = arguments.memoryOf(seen);
  Napi::Object object = Napi::Object::New(env);
  object.Set("tensor", Napi::Value(env, wrap(environment, memory.elements)));
  object.Set("memory", static_cast<double>(seen.memoryNumber));
  object.Set("dtype", std::string(dtypeName(tensor.scalar_type())));
  object.Set("onDevice", !tensor.is_cpu());
  object.Set("isNumber", tensor.unsafeGetTensorImpl()->is_wrapped_number());
  object.Set("shape", arrayOf(env, seen.sizes));
  object.Set("strides", arrayOf(env, seen.strides));
  object.Set("offset", static_cast<double>(seen.offset));
  object.Set("start", static_cast<double>(memory.start));
  return object;
}

c10::TypeKind kindOf(c10::TypePtr type) {
  while (type->kind() == c10::TypeKind::OptionalType)
    type = type->castRaw<c10::OptionalType>()->getElementType();
  return type->kind();
}

Napi::Value valueToJavaScript(Environment& environment, const HostArguments& arguments, c10::TypeKind kind,
                              const c10::IValue& value) {
  const Napi::Env env = environment.env;
  if (value.isTensor() && value.toTensor().defined())
    return tensorToJavaScript(environment, arguments, value.toTensor());
  if (value.isNone() || value.isTensor() || value.isGenerator()) return env.Null();
  if (value.isDevice()) return named(env, "device", value.toDevice().str());
  if (value.isString()) return Napi::String::New(env, value.toStringRef());
  if (value.isInt() && kind == c10::TypeKind::ScalarTypeType)
    return named(env, "named", dtypeName(static_cast<at::ScalarType>(value.toInt())));
  if (value.isInt() && kind == c10::TypeKind::LayoutType)
    return named(env, "named", layoutName(static_cast<at::Layout>(value.toInt())));
  if (value.isInt() && kind == c10::TypeKind::MemoryFormatType) {
    const auto format = static_cast<at::MemoryFormat>(value.toInt());
    return named(env, "named",
                 format == at::MemoryFormat::ChannelsLast     ? "channels_last"
                 : format == at::MemoryFormat::ChannelsLast3d ? "channels_last_3d"
                 : format == at::MemoryFormat::Preserve       ? "preserve_format"
                                                              : "contiguous_format");
  }
  if (value.isList()) {
    const auto elements = value.toListRef();
    Napi::Array array = Napi::Array::New(env, elements.size());
    for (uint32_t i = 0; i < elements.size(); ++i)
      array.Set(i, valueToJavaScript(environment, arguments, c10::TypeKind::AnyType, elements[i]));
    return array;
  }
  if (value.isScalar()) return {env, mpslab::toJavaScript(env, value.toScalar())};
  return env.Undefined();
}

}  // namespace

Napi::Object toJavaScript(Environment& environment, const Finding& finding) {
  const Napi::Env env = environment.env;
  const auto& parameters = finding.op.schema().arguments();
  Napi::Array arguments = Napi::Array::New(env);
  for (uint32_t i = 0; i < finding.given.size(); ++i) {
    Napi::Object argument = Napi::Object::New(env);
    argument.Set("name", parameters[i].name());
    argument.Set("keywordOnly", parameters[i].kwarg_only());
    argument.Set("value", valueToJavaScript(environment, *finding.arguments,
                                            kindOf(parameters[i].real_type()), finding.given[i]));
    arguments.Set(i, argument);
  }
  const Difference& difference = finding.difference;
  Napi::Object object = Napi::Object::New(env);
  object.Set("operator", finding.op.operator_name().name.substr(std::string_view("aten::").size()));
  object.Set("overload", finding.op.operator_name().overload_name);
  object.Set("arguments", arguments);
  object.Set("result", difference.product);
  object.Set("shapes", difference.shapes);
  object.Set("device", Napi::Value(env, wrap(environment, difference.device)));
  object.Set("cpu", Napi::Value(env, wrap(environment, difference.host)));
  object.Set("worstAt", arrayOf(env, difference.worstAt));
  object.Set("deviceValue", difference.deviceValue);
  object.Set("cpuValue", difference.hostValue);
  object.Set("exactValue", difference.exactValue);
  object.Set("allowed", difference.allowed);
  object.Set("wrongElements", static_cast<double>(difference.wrongElements));
  object.Set("place", static_cast<double>(difference.place));
  object.Set("returns", static_cast<double>(finding.op.schema().returns().size()));
  object.Set("stack", finding.stack);
  object.Set("node", finding.node);
  return object;
}

}  // namespace mpslab::shadow
