// Compares the bytes that the environment counted with a share of Metal's recommended memory.
#include "addon/near_limit.h"

#include <ATen/detail/MPSHooksInterface.h>

#include "addon/errors.h"
#include "addon/exports.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

/// The share of Metal's recommended memory at which `lab.diagnose` calls memory nearly full.
constexpr double kNear = 0.9;

thread_local int64_t nearBytes = INT64_MAX;
thread_local bool isNear = false;
thread_local napi_ref handler = nullptr;

Napi::Value setNearLimitHandler(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setNearLimitHandler(): expected a function.");
  if (handler != nullptr) napi_delete_reference(environment.env, handler);
  napi_create_reference(environment.env, info[0], 1, &handler);
  isNear = false;
  return info.Env().Undefined();
}

}  // namespace

void watchLimit(at::Device device) {
  if (!device.is_mps()) return;
  const size_t recommended = at::detail::getMPSHooks().getRecommendedMaxMemory();
  nearBytes = static_cast<int64_t>(kNear * static_cast<double>(recommended));
}

bool mayComeNearLimit(int64_t bytes) { return !isNear && bytes >= nearBytes; }

bool comesNearLimit(int64_t bytes) {
  const bool comes = mayComeNearLimit(bytes);
  isNear = bytes >= nearBytes;
  return comes;
}

void tellNearLimit(napi_env env) {
  if (handler == nullptr) return;
  Napi::HandleScope scope(env);
  napi_value function;
  napi_get_reference_value(env, handler, &function);
  Napi::Function(env, function).Call({Napi::Number::New(env, static_cast<double>(nearBytes))});
}

void defineNearLimit(Environment& environment, Napi::Object exports) {
  define<setNearLimitHandler>(environment, exports, "setNearLimitHandler");
}

}  // namespace mpslab
