// Makes a promise that resolves when a device has passed an event. A thread of libuv's pool waits, and
// JavaScript goes on.
#include <exception>

#include "addon/guard.h"
#include "device/event.h"
#include "device/exports.h"

namespace mpslab {
namespace {

struct Passing {
  Environment& environment;
  /// Shared, because JavaScript may release the event while a thread waits for it.
  std::shared_ptr<DeviceEvent> event;
  napi_deferred promise = nullptr;
  napi_async_work work = nullptr;
  std::exception_ptr failure;
};

void waitThere(napi_env, void* data) {
  auto& passing = *static_cast<Passing*>(data);
  try {
    passing.event->synchronize();
  } catch (...) {
    passing.failure = std::current_exception();
  }
}

Napi::Value errorOf(const Passing& passing) {
  try {
    try {
      std::rethrow_exception(passing.failure);
    } catch (...) {
      rethrowAsJavaScript(passing.environment, {}, {});
    }
  } catch (const Napi::Error& error) {
    return error.Value();
  }
}

void settle(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Passing> passing(static_cast<Passing*>(data));
  napi_delete_async_work(env, passing->work);
  // With this status the environment is ending, and there is no promise left to settle.
  if (status != napi_ok) return;
  if (passing->failure) {
    napi_reject_deferred(env, passing->promise, errorOf(*passing));
    return;
  }
  napi_value undefined;
  napi_get_undefined(env, &undefined);
  napi_resolve_deferred(env, passing->promise, undefined);
}

Napi::Value eventPassed(Environment& environment, const Napi::CallbackInfo& info) {
  const napi_env env = environment.env;
  auto passing =
      std::make_unique<Passing>(Passing{environment, eventOf(environment, info[0]), nullptr, nullptr, {}});
  napi_value name;
  napi_value promise;
  napi_create_string_utf8(env, "mpslab.eventPassed", NAPI_AUTO_LENGTH, &name);
  napi_create_async_work(env, nullptr, name, waitThere, settle, passing.get(), &passing->work);
  napi_create_promise(env, &passing->promise, &promise);
  if (napi_queue_async_work(env, passing->work) != napi_ok) throw Napi::Error::New(env);
  (void)passing.release();
  return {env, promise};
}

}  // namespace

void defineEventPromises(Environment& environment, Napi::Object exports) {
  define<eventPassed>(environment, exports, "eventPassed");
}

}  // namespace mpslab
