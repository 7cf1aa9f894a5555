// Makes a C++ function a function of the addon. One guard around each turns C++ exceptions into JavaScript
// errors, because none may cross into V8.
#pragma once
#include <napi.h>

#include "addon/environment.h"
#include "addon/errors.h"

namespace mpslab {

using Function = Napi::Value (*)(Environment&, const Napi::CallbackInfo&);

template <Function function>
Napi::Value guarded(const Napi::CallbackInfo& info) {
  auto& environment = *static_cast<Environment*>(info.Data());
  try {
    environment.dead->release(environment.env);
    return function(environment, info);
  } catch (...) {
    rethrowAsJavaScript(environment, {}, {});
  }
}

/// The same guard for a plain Node-API callback, which costs less: `run` gives the result.
template <typename Run>
napi_value guardedCall(Environment& environment, Run run) {
  try {
    environment.dead->release(environment.env);
    return run(environment);
  } catch (const Napi::Error& error) {
    error.ThrowAsJavaScriptException();
  } catch (...) {
    try {
      rethrowAsJavaScript(environment, {}, {});
    } catch (const Napi::Error& error) {
      error.ThrowAsJavaScriptException();
    }
  }
  return nullptr;
}

template <Function function>
void define(Environment& environment, Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<guarded<function>>(environment.env, name, &environment));
}

}  // namespace mpslab
