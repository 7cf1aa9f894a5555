// Inspects JavaScript values, and describes them for messages.
#include "tensor/value.h"

#include <napi.h>

#include "tensor/generator_object.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

Value::Kind kindOfObject(napi_env env, napi_value js) {
  bool is = false;
  if (napi_is_typedarray(env, js, &is) == napi_ok && is) return Value::Kind::TypedArray;
  if (napi_has_named_property(env, js, "re", &is) == napi_ok && is) return Value::Kind::Complex;
  if (generatorOf(env, js) != nullptr) return Value::Kind::Generator;
  return Value::Kind::Object;
}

}  // namespace

std::string toUtf8(napi_env env, napi_value string) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, string, nullptr, 0, &length) != napi_ok) return {};
  std::string text(length, '\0');
  napi_get_value_string_utf8(env, string, text.data(), length + 1, &length);
  return text;
}

Value look(Environment& environment, napi_value js) {
  const napi_env env = environment.env;
  Value value;
  value.js = js;
  napi_valuetype type;
  napi_typeof(env, js, &type);
  switch (type) {
    case napi_undefined:
      value.kind = Value::Kind::Undefined;
      break;
    case napi_null:
      value.kind = Value::Kind::Null;
      break;
    case napi_boolean:
      value.kind = Value::Kind::Boolean;
      napi_get_value_bool(env, js, &value.boolean);
      break;
    case napi_number:
      value.kind = Value::Kind::Number;
      napi_get_value_double(env, js, &value.number);
      break;
    case napi_bigint:
      value.kind = Value::Kind::BigInt;
      break;
    case napi_string:
      value.kind = Value::Kind::String;
      break;
    case napi_object: {
      // Arrays first: the question is cheap, and unwrapping an object that is no tensor is not.
      bool array = false;
      napi_is_array(env, js, &array);
      if (array) {
        value.kind = Value::Kind::Array;
        break;
      }
      value.handle = handleOf(environment, js);
      value.kind = value.handle != nullptr ? Value::Kind::Tensor : kindOfObject(env, js);
      break;
    }
    case napi_function:
      value.kind = Value::Kind::Function;
      break;
    default:
      value.kind = Value::Kind::Other;
  }
  return value;
}

napi_value toJavaScript(Environment& environment, const Value& value) {
  if (value.js != nullptr) return value.js;
  const napi_env env = environment.env;
  napi_value made = nullptr;
  if (value.kind == Value::Kind::Array) {
    napi_create_array_with_length(env, value.length, &made);
    for (uint32_t i = 0; i < value.length; ++i) {
      napi_value element;
      napi_create_double(env, value.numbers[i], &element);
      napi_set_element(env, made, i, element);
    }
  } else if (value.kind == Value::Kind::Number) {
    napi_create_double(env, value.number, &made);
  } else {
    napi_get_undefined(env, &made);
  }
  return made;
}

uint32_t lengthOf(Environment& environment, const Value& array) {
  if (array.js == nullptr) return array.length;
  uint32_t length = 0;
  napi_get_array_length(environment.env, array.js, &length);
  return length;
}

Value elementAt(Environment& environment, const Value& array, uint32_t index) {
  if (array.js == nullptr) {
    Value element;
    if (array.numbersAreTensors) {
      element.kind = Value::Kind::Tensor;
      element.handle = environment.pool.at(array.numbers[index]);
    } else {
      element.kind = Value::Kind::Number;
      element.number = array.numbers[index];
    }
    return element;
  }
  napi_value element;
  napi_get_element(environment.env, array.js, index, &element);
  return look(environment, element);
}

std::string classNameOf(napi_env env, napi_value object) {
  napi_value constructor, name;
  napi_valuetype type = napi_undefined;
  std::string text;
  if (napi_get_named_property(env, object, "constructor", &constructor) == napi_ok &&
      napi_typeof(env, constructor, &type) == napi_ok && type == napi_function &&
      napi_get_named_property(env, constructor, "name", &name) == napi_ok)
    text = toUtf8(env, name);
  // A getter of the caller's object may have thrown; that error is dropped, because the message at hand is
  // about another one.
  bool pending = false;
  napi_value thrown;
  if (napi_is_exception_pending(env, &pending) == napi_ok && pending)
    napi_get_and_clear_last_exception(env, &thrown);
  return text == "Object" ? std::string() : text;
}

namespace {

std::string describeObject(napi_env env, napi_value object) {
  const std::string name = classNameOf(env, object);
  if (name == "Tensor") return "an object made from a Tensor";
  if (!name.empty())
    return (std::string_view("AEIOU").find(name[0]) == std::string_view::npos ? "a " : "an ") + name;
  napi_value keys;
  uint32_t count = 1;
  if (napi_get_property_names(env, object, &keys) == napi_ok) napi_get_array_length(env, keys, &count);
  return count == 0 ? "an empty object" : "an object";
}

/// `Symbol(x)`, where `x` is the symbol's description.
std::string describeSymbol(napi_env env, napi_value symbol) {
  napi_value object, description;
  if (napi_coerce_to_object(env, symbol, &object) != napi_ok ||
      napi_get_named_property(env, object, "description", &description) != napi_ok)
    return "a symbol";
  return "Symbol(" + toUtf8(env, description) + ")";
}

/// Only the first level of nested arrays is looked into, because an array may contain itself.
std::string describeArray(Environment& environment, const Value& array, bool looksInside) {
  const uint32_t length = lengthOf(environment, array);
  if (length == 0) return "an empty array";
  const std::string text = "an array of " + std::to_string(length);
  if (!looksInside) return text;
  const Value first = elementAt(environment, array, 0);
  return text + " (the first is " +
         (first.kind == Value::Kind::Array ? describeArray(environment, first, false)
                                           : describe(environment, first)) +
         ")";
}

}  // namespace

std::string describe(Environment& environment, const Value& value) {
  const napi_env env = environment.env;
  switch (value.kind) {
    case Value::Kind::Undefined:
      return "undefined";
    case Value::Kind::Null:
      return "null";
    case Value::Kind::Boolean:
      return value.boolean ? "true" : "false";
    case Value::Kind::Number:
    case Value::Kind::BigInt:
    case Value::Kind::String: {
      napi_value text;
      napi_coerce_to_string(env, toJavaScript(environment, value), &text);
      std::string shown = toUtf8(env, text);
      if (value.kind == Value::Kind::Number)
        return std::isfinite(value.number) ? std::string("number ").append(shown) : shown;
      if (value.kind == Value::Kind::BigInt) return std::string("bigint ").append(shown).append("n");
      if (shown.size() > 40) {
        // The cut must not split a character: UTF-8's continuation bytes are 10xxxxxx.
        size_t end = 37;
        while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
        shown.resize(end);
        shown.append("...");
      }
      return std::string("string \"").append(shown).append("\"");
    }
    case Value::Kind::Tensor:
      if (value.handle->state != Handle::State::Live) return "a disposed Tensor";
      return std::string("a Tensor (").append(describe(value.handle->tensor)).append(")");
    case Value::Kind::Array:
      return describeArray(environment, value, true);
    case Value::Kind::TypedArray:
      return "a typed array";
    case Value::Kind::Complex:
      return "a complex number";
    case Value::Kind::Generator:
      return "a Generator";
    case Value::Kind::Object:
      return describeObject(env, value.js);
    case Value::Kind::Function:
      return "a function";
    case Value::Kind::Other:
      return describeSymbol(env, value.js);
  }
  return "a value";
}

}  // namespace mpslab
