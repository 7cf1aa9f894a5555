// Switches libtorch's autocast, which casts by lists of operators for each kind of device.
#include <ATen/autocast_mode.h>

#include "addon/guard.h"
#include "autograd/exports.h"
#include "vocabulary/dtype.h"

namespace mpslab {
namespace {

at::DeviceType deviceType(Environment& environment, Napi::Value name) {
  const auto device = deviceOf(name.ToString().Utf8Value());
  if (!device) throwTypeError(environment, "Autocast: expected a kind of device.");
  return device->type();
}

Napi::Value autocastEnabled(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), at::autocast::is_autocast_enabled(deviceType(environment, info[0])));
}

Napi::Value setAutocastEnabled(Environment& environment, const Napi::CallbackInfo& info) {
  at::autocast::set_autocast_enabled(deviceType(environment, info[0]), info[1].ToBoolean());
  return info.Env().Undefined();
}

Napi::Value autocastDtype(Environment& environment, const Napi::CallbackInfo& info) {
  const auto dtype = at::autocast::get_autocast_dtype(deviceType(environment, info[0]));
  return Napi::String::New(info.Env(), std::string(dtypeName(dtype)));
}

Napi::Value setAutocastDtype(Environment& environment, const Napi::CallbackInfo& info) {
  const auto dtype = dtypeOf(info[1].ToString().Utf8Value());
  if (!dtype) throwTypeError(environment, "Autocast: expected a dtype.");
  at::autocast::set_autocast_dtype(deviceType(environment, info[0]), *dtype);
  return info.Env().Undefined();
}

Napi::Value autocastCacheEnabled(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), at::autocast::is_autocast_cache_enabled());
}

Napi::Value setAutocastCacheEnabled(Environment&, const Napi::CallbackInfo& info) {
  at::autocast::set_autocast_cache_enabled(info[0].ToBoolean());
  return info.Env().Undefined();
}

Napi::Value enterAutocast(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), at::autocast::increment_nesting());
}

/// Frees the cached copies of weights, which are kept until the outermost block ends.
Napi::Value leaveAutocast(Environment& environment, const Napi::CallbackInfo& info) {
  const int depth = at::autocast::decrement_nesting();
  if (depth == 0) {
    at::autocast::clear_cache();
    environment.collectInTime();
  }
  return Napi::Number::New(info.Env(), depth);
}

Napi::Value clearAutocastCache(Environment& environment, const Napi::CallbackInfo& info) {
  at::autocast::clear_cache();
  environment.collectInTime();
  return info.Env().Undefined();
}

}  // namespace

void defineAutocast(Environment& environment, Napi::Object exports) {
  define<autocastEnabled>(environment, exports, "autocastEnabled");
  define<setAutocastEnabled>(environment, exports, "setAutocastEnabled");
  define<autocastDtype>(environment, exports, "autocastDtype");
  define<setAutocastDtype>(environment, exports, "setAutocastDtype");
  define<autocastCacheEnabled>(environment, exports, "autocastCacheEnabled");
  define<setAutocastCacheEnabled>(environment, exports, "setAutocastCacheEnabled");
  define<enterAutocast>(environment, exports, "enterAutocast");
  define<leaveAutocast>(environment, exports, "leaveAutocast");
  define<clearAutocastCache>(environment, exports, "clearAutocastCache");
}

}  // namespace mpslab
