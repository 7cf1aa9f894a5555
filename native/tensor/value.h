// A JavaScript argument that was inspected once: its kind, and what the inspection found (a number, a
// tensor's handle). So no argument is asked twice.
#pragma once
#include <node_api.h>

#include <string>

#include "addon/environment.h"
#include "vocabulary/tensor_description.h"

namespace mpslab {

struct Value {
  enum class Kind : uint8_t {
    Undefined,
    Null,
    Boolean,
    Number,
    BigInt,
    String,
    Tensor,
    Array,
    TypedArray,
    Complex,
    Generator,
    Object,
    Function,
    Other
  };

  napi_value js = nullptr;
  Kind kind = Kind::Undefined;
  bool boolean = false;
  double number = 0;
  Handle* handle = nullptr;
  /// The numbers of an array that `fast_call.cc` passes without a JavaScript value; `js` is nullptr then.
  const double* numbers = nullptr;
  /// Whether they are the numbers of tensors.
  bool numbersAreTensors = false;
  uint32_t length = 0;

  bool absent() const { return kind == Kind::Undefined; }
};

Value look(Environment& environment, napi_value js);

/// Returns the value as a JavaScript value, which is made if the value came without one.
napi_value toJavaScript(Environment& environment, const Value& value);

/// Length and elements of a value of the kind Array.
uint32_t lengthOf(Environment& environment, const Value& array);
Value elementAt(Environment& environment, const Value& array, uint32_t index);

/// The class of an object: `Date`; empty for a plain object, and if its constructor has no name.
std::string classNameOf(napi_env env, napi_value object);

/// Describes a value for messages: `string "x"`, `number 1.5`, `an array of 3`, `a float32 Tensor of shape
/// [2, 3]`.
std::string describe(Environment& environment, const Value& value);

std::string toUtf8(napi_env env, napi_value string);

}  // namespace mpslab
