// Converts libtorch's scalars to JavaScript values.
#pragma once
#include <ATen/core/Scalar.h>
#include <napi.h>

namespace mpslab {

/// A number, or a bigint beyond 2^53.
napi_value toJavaScript(napi_env env, int64_t integer);

/// A number, a bigint beyond 2^53, a boolean, or `{ re, im }`.
napi_value toJavaScript(napi_env env, const at::Scalar& scalar);

}  // namespace mpslab
