// Converts integers beyond 2^53 to bigints, complex numbers to `{ re, im }`, all others to numbers and
// booleans.
#include "tensor/scalar.h"

namespace mpslab {

napi_value toJavaScript(napi_env env, int64_t integer) {
  constexpr int64_t kSafe = (int64_t{1} << 53) - 1;
  napi_value value;
  if (integer >= -kSafe && integer <= kSafe) {
    napi_create_double(env, static_cast<double>(integer), &value);
  } else {
    napi_create_bigint_int64(env, integer, &value);
  }
  return value;
}

napi_value toJavaScript(napi_env env, const at::Scalar& scalar) {
  napi_value value;
  if (scalar.isBoolean()) {
    napi_get_boolean(env, scalar.toBool(), &value);
  } else if (scalar.isIntegral(false)) {
    // A uint64 beyond int64 becomes an unsigned bigint, because as int64 it would be negative.
    if (scalar.type() == at::kUInt64) {
      const uint64_t integer = scalar.toUInt64();
      if (integer > static_cast<uint64_t>(INT64_MAX)) {
        napi_create_bigint_uint64(env, integer, &value);
        return value;
      }
    }
    return toJavaScript(env, scalar.toLong());
  } else if (scalar.isComplex()) {
    const auto number = scalar.toComplexDouble();
    Napi::Object object = Napi::Object::New(env);
    object.Set("re", number.real());
    object.Set("im", number.imag());
    return object;
  } else {
    napi_create_double(env, scalar.toDouble(), &value);
  }
  return value;
}

}  // namespace mpslab
