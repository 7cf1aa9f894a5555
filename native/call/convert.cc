// Converts arguments and results with plain Node-API calls, because this is the hot path of every operator.
#include "call/convert.h"

#include <ATen/ScalarOps.h>

#include <cmath>

#include "addon/errors.h"
#include "device/devices.h"
#include "tensor/generator_object.h"
#include "tensor/scalar.h"
#include "tensor/tensor.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

using Kind = Value::Kind;

constexpr double kInt64Limit = 9223372036854775808.0;

bool isNumber(const Value& value) {
  return value.kind == Kind::Number || value.kind == Kind::BigInt || value.kind == Kind::Boolean ||
         value.kind == Kind::Complex;
}

bool fitsElement(Environment& environment, const Value& value, const Parameter& parameter) {
  switch (parameter.type) {
    case Type::Tensor:
      return value.kind == Kind::Tensor || (parameter.wrapsNumber && isNumber(value));
    case Type::Int:
    case Type::Float:
      return value.kind == Kind::Number || value.kind == Kind::BigInt;
    case Type::Bool:
      return value.kind == Kind::Boolean;
    case Type::Number:
      return isNumber(value);
    case Type::String:
      return value.kind == Kind::String;
    case Type::Dtype:
      return value.kind == Kind::String && dtypeOf(toUtf8(environment.env, value.js)).has_value();
    case Type::Layout:
      return value.kind == Kind::String && layoutOf(toUtf8(environment.env, value.js)).has_value();
    case Type::MemoryFormat:
      return value.kind == Kind::String && memoryFormatOf(toUtf8(environment.env, value.js)).has_value();
    case Type::Device:
      return value.kind == Kind::String && deviceOf(toUtf8(environment.env, value.js)).has_value();
    case Type::Generator:
      return value.kind == Kind::Generator;
    case Type::Unsupported:
      return false;
  }
  return false;
}

struct Context {
  Environment& environment;
  const Parameter& parameter;
  const std::string& where;

  [[noreturn]] void outOfRange(const char* wanted, const Value& value) const {
    throwRangeError(environment, where + "(): argument '" + parameter.camelName + "' must be " + wanted +
                                     ", but got " + describe(environment, value) + ".");
  }

  [[noreturn]] void wrongElement(uint32_t index, const Value& value) const {
    throwTypeError(environment, where + "(): argument '" + parameter.camelName + "' must be " +
                                    expectation(parameter) + ", but element " + std::to_string(index) +
                                    " is " + describe(environment, value) + ".");
  }
};

int64_t toInt(const Context& context, const Value& value) {
  if (value.kind == Kind::BigInt) {
    int64_t integer = 0;
    bool lossless = false;
    napi_get_value_bigint_int64(context.environment.env, value.js, &integer, &lossless);
    if (!lossless) context.outOfRange("an integer of 64 bits", value);
    return integer;
  }
  // NaN fails both comparisons.
  if (!(value.number >= -kInt64Limit && value.number < kInt64Limit) ||
      value.number != std::trunc(value.number)) {
    context.outOfRange("an integer", value);
  }
  return static_cast<int64_t>(value.number);
}

/// Converts an integer in a list. libtorch takes integers below -2^62 for pointers to symbolic sizes there,
/// and follows them (c10/core/SymInt.h).
int64_t toListedInt(const Context& context, const Value& value) {
  constexpr int64_t kLeast = -(int64_t{1} << 62);
  const int64_t integer = toInt(context, value);
  if (integer < kLeast) context.outOfRange("at least -2^62", value);
  return integer;
}

double toDouble(const Context& context, const Value& value) {
  return value.kind == Kind::BigInt ? static_cast<double>(toInt(context, value)) : value.number;
}

double complexPart(const Context& context, const Value& value, const char* name) {
  napi_value part;
  double number;
  if (napi_get_named_property(context.environment.env, value.js, name, &part) != napi_ok ||
      napi_get_value_double(context.environment.env, part, &number) != napi_ok) {
    throwTypeError(context.environment, context.where + "(): argument '" + context.parameter.camelName +
                                            "' must be a complex number { re, im } with two numbers.");
  }
  return number;
}

/// Integral numbers become int64, so that `x.add(1)` leaves an integer tensor integer.
c10::IValue toNumber(const Context& context, const Value& value) {
  switch (value.kind) {
    case Kind::Boolean:
      return value.boolean;
    case Kind::BigInt: {
      uint64_t beyond = 0;
      bool lossless = false;
      napi_get_value_bigint_uint64(context.environment.env, value.js, &beyond, &lossless);
      if (lossless && beyond > static_cast<uint64_t>(INT64_MAX)) return at::Scalar(beyond);
      return toInt(context, value);
    }
    case Kind::Complex:
      return c10::complex<double>(complexPart(context, value, "re"), complexPart(context, value, "im"));
    default:
      // As isInt64 in lib/torch/vocabulary/dtype.ts.
      if (value.number == std::trunc(value.number) && value.number >= -kInt64Limit &&
          value.number < kInt64Limit && !(value.number == 0 && std::signbit(value.number))) {
        return static_cast<int64_t>(value.number);
      }
      return value.number;
  }
}

c10::IValue toElement(const Context& context, const Value& value) {
  const napi_env env = context.environment.env;
  switch (context.parameter.type) {
    case Type::Tensor:
      if (value.kind != Kind::Tensor) {
        return at::native::wrapped_scalar_tensor(toNumber(context, value).toScalar());
      }
      return tensorOf(context.environment, *value.handle);
    case Type::Int:
      return toInt(context, value);
    case Type::Float:
      return toDouble(context, value);
    case Type::Bool:
      return value.boolean;
    case Type::Number:
      return toNumber(context, value);
    case Type::String:
      return toUtf8(env, value.js);
    case Type::Dtype:
      return *dtypeOf(toUtf8(env, value.js));
    case Type::Layout:
      return *layoutOf(toUtf8(env, value.js));
    case Type::MemoryFormat:
      return *memoryFormatOf(toUtf8(env, value.js));
    case Type::Device:
      return deviceArgument(context.environment, Napi::Value(env, value.js), context.where.c_str());
    case Type::Generator:
      return *generatorOf(env, value.js);
    case Type::Unsupported:
      break;
  }
  return {};
}

bool fitsListElement(Environment& environment, const Value& element, const Parameter& parameter) {
  if (element.kind == Kind::Null || element.kind == Kind::Undefined) return parameter.optionalElements;
  return fitsElement(environment, element, parameter);
}

/// Calls `visit(element)` for each element of an array. A single number is visited as often as the schema
/// repeats it.
template <typename Visit>
void forEachElement(const Context& context, const Value& value, Visit visit) {
  if (value.kind != Kind::Array) {
    for (int i = 0; i < context.parameter.repeat; ++i) visit(value);
    return;
  }
  const uint32_t length = lengthOf(context.environment, value);
  for (uint32_t i = 0; i < length; ++i) {
    const Value element = elementAt(context.environment, value, i);
    if (!fitsListElement(context.environment, element, context.parameter)) context.wrongElement(i, element);
    visit(element);
  }
}

/// Makes a list of the element type that the dispatcher wants, because it refuses generic lists.
template <typename T, typename Convert>
c10::List<T> toList(const Context& context, const Value& value, Convert convert) {
  c10::List<T> list;
  forEachElement(context, value, [&](const Value& element) { list.push_back(convert(context, element)); });
  return list;
}

bool toBool(const Context&, const Value& value) { return value.boolean; }

std::string toString(const Context& context, const Value& value) {
  return toUtf8(context.environment.env, value.js);
}

at::Tensor toTensor(const Context& context, const Value& value) {
  return tensorOf(context.environment, *value.handle);
}

std::optional<at::Tensor> toOptionalTensor(const Context& context, const Value& value) {
  if (value.handle == nullptr) return std::nullopt;
  return toTensor(context, value);
}

c10::IValue toListIValue(const Context& context, const Value& value) {
  switch (context.parameter.type) {
    case Type::Tensor:
      if (context.parameter.optionalElements)
        return toList<std::optional<at::Tensor>>(context, value, toOptionalTensor);
      return toList<at::Tensor>(context, value, toTensor);
    case Type::Int:
      return toList<int64_t>(context, value, toListedInt);
    case Type::Float:
      return toList<double>(context, value, toDouble);
    case Type::Bool:
      return toList<bool>(context, value, toBool);
    case Type::String:
      return toList<std::string>(context, value, toString);
    default: {
      c10::impl::GenericList list(c10::NumberType::get());
      forEachElement(context, value,
                     [&](const Value& element) { list.push_back(toNumber(context, element)); });
      return list;
    }
  }
}

template <typename List, typename Convert>
napi_value toArray(napi_env env, const List& list, Convert convert) {
  napi_value array;
  napi_create_array_with_length(env, list.size(), &array);
  uint32_t index = 0;
  for (const auto& element : list) napi_set_element(env, array, index++, convert(element));
  return array;
}

napi_value toJavaScript(napi_env env, std::string_view text) {
  napi_value value;
  napi_create_string_utf8(env, text.data(), text.size(), &value);
  return value;
}

}  // namespace

bool fits(Environment& environment, const Value& value, const Parameter& parameter) {
  if (value.kind == Kind::Null || value.kind == Kind::Undefined) return parameter.optional;
  if (!parameter.list) return fitsElement(environment, value, parameter);
  if (value.kind != Kind::Array) {
    // A single number stands for a list of equal numbers if the schema gives the list's length.
    const bool repeats = parameter.repeat > 0 && parameter.type != Type::Tensor;
    return repeats && fitsElement(environment, value, parameter);
  }
  if (lengthOf(environment, value) == 0) return true;
  return fitsListElement(environment, elementAt(environment, value, 0), parameter);
}

Integers toIntegers(Environment& environment, const Value& value, const Parameter& parameter,
                    const std::string& where) {
  const Context context{environment, parameter, where};
  Integers integers;
  forEachElement(context, value,
                 [&](const Value& element) { integers.push_back(toListedInt(context, element)); });
  return integers;
}

Tensors toTensors(Environment& environment, const Value& value, const Parameter& parameter,
                  const std::string& where) {
  const Context context{environment, parameter, where};
  Tensors tensors;
  forEachElement(context, value,
                 [&](const Value& element) { tensors.push_back(toTensor(context, element)); });
  return tensors;
}

c10::IValue toIValue(Environment& environment, const Value& value, const Parameter& parameter,
                     const std::string& where) {
  if (value.kind == Kind::Null || value.kind == Kind::Undefined) return {};
  const Context context{environment, parameter, where};
  return parameter.list ? toListIValue(context, value) : toElement(context, value);
}

napi_value toJavaScript(Environment& environment, c10::IValue&& value, const Result& result,
                        napi_value shell) {
  const napi_env env = environment.env;
  napi_value converted;
  if (value.isTensor()) return wrap(environment, std::move(value).toTensor(), shell);
  if (value.isTensorList()) {
    return toArray(env, value.toTensorVector(),
                   [&](const at::Tensor& tensor) { return wrap(environment, tensor); });
  }
  if (value.isInt()) {
    if (result.type == Type::Dtype) return toJavaScript(env, dtypeName(value.toScalarType()));
    return toJavaScript(env, value.toInt());
  }
  if (value.isDouble()) {
    napi_create_double(env, value.toDouble(), &converted);
    return converted;
  }
  if (value.isBool()) {
    napi_get_boolean(env, value.toBool(), &converted);
    return converted;
  }
  if (value.isScalar()) return toJavaScript(env, value.toScalar());
  if (value.isIntList()) {
    return toArray(env, value.toIntVector(), [&](int64_t integer) { return toJavaScript(env, integer); });
  }
  if (value.isString()) return toJavaScript(env, value.toStringRef());
  if (value.isNone()) {
    napi_get_null(env, &converted);
    return converted;
  }
  throwTypeError(environment, "A result of type " + value.tagKind() + " has no JavaScript form.");
}

std::string expectation(const Parameter& parameter) {
  struct Words {
    const char* one;
    const char* many;
  };
  const Words words = [&]() -> Words {
    switch (parameter.type) {
      case Type::Tensor:
        return {"a Tensor", "an array of Tensors"};
      case Type::Int:
        return {"an integer", "an array of integers"};
      case Type::Float:
        return {"a number", "an array of numbers"};
      case Type::Bool:
        return {"a boolean", "an array of booleans"};
      case Type::Number:
        return {"a number", "an array of numbers"};
      case Type::String:
        return {"a string", "an array of strings"};
      case Type::Dtype:
        return {"a dtype such as \"float32\"", "an array of dtypes"};
      case Type::Layout:
        return {"a layout such as \"strided\"", "an array of layouts"};
      case Type::MemoryFormat:
        return {"a memory format such as \"channels_last\"", "an array of memory formats"};
      case Type::Device:
        return {"a device such as \"cpu\", \"mps\" or \"cuda:0\"", "an array of devices"};
      case Type::Generator:
        return {"a Generator", "an array of Generators"};
      case Type::Unsupported:
        break;
    }
    return {"left out (its type has no JavaScript form)", "left out (its type has no JavaScript form)"};
  }();
  std::string text = parameter.list ? words.many : words.one;
  if (parameter.list && parameter.repeat > 0 && parameter.type != Type::Tensor)
    text = std::string(words.one) + " or " + text;
  return text;
}

}  // namespace mpslab
