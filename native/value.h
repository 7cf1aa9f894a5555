// A JavaScript value looked at once: its kind, and what telling the kind already found out. Knows no schema.
#pragma once
#include <node_api.h>

#include <string>

#include "environment.h"

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
    Object,
    Function,
    Other
  };

  napi_value js = nullptr;
  Kind kind = Kind::Undefined;
  bool boolean = false;
  double number = 0;
  Handle* handle = nullptr;

  bool absent() const { return kind == Kind::Undefined; }
};

Value look(Environment& environment, napi_value js);

/// For messages: `string "x"`, `number 1.5`, `an array of 3`, `a float32 Tensor of shape [2, 3]`.
std::string describe(Environment& environment, const Value& value);

/// `float32 [2, 3]`, with the device unless it is the CPU.
std::string describe(const at::Tensor& tensor);

/// `[2, 3]`
std::string describeShape(at::IntArrayRef shape);

std::string toUtf8(napi_env env, napi_value string);

}  // namespace mpslab
