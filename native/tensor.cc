// Tensor wrappers: class, finalizer, disposal, origin. Knows no operator.
//
// Plain Node-API calls where a wrapper is made or read: they run several times for each operator, and
// node-addon-api's ObjectWrap would add a C++ object and a persistent handle to each wrapper.
#include "tensor.h"

#include "addon.h"
#include "guard.h"

namespace mpslab {
namespace {

/// `made` makes the objects that `wrap` wraps: V8 runs a JavaScript constructor without leaving its own code,
/// and leaves room in the object for the private property that holds the handle. `Tensor` is what users see;
/// both share one prototype.
constexpr const char* kClasses = R"js(
(() => {
  class Tensor {
    constructor() {
      throw new TypeError("A Tensor is not made with new: use torch.tensor, torch.zeros or another factory.");
    }
  }
  function Wrapper() {}
  Wrapper.prototype = Tensor.prototype;
  return { Tensor, Wrapper };
})()
)js";

void forgetGradient(Handle& handle) {
  if (!handle.isGradient) return;
  handle.isGradient = false;
  Environment& environment = *handle.environment;
  const auto found = environment.gradients.find(handle.tensor.unsafeGetTensorImpl());
  if (found == environment.gradients.end() || found->second.handle != &handle) return;
  environment.dead->add(found->second.weak);
  environment.gradients.erase(found);
}

/// A basic finalizer: it runs inside the collection, so a loop that never yields gives its memory back.
void finalizeTensor(node_api_basic_env, void* data, void*) {
  auto* handle = static_cast<Handle*>(data);
  forgetGradient(*handle);
  handle->tensor.reset();
  handle->environment->handleReleased(handle);
}

Napi::Value isTensor(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(environment.env, handleOf(environment, info[0]) != nullptr);
}

Handle& handleArgument(Environment& environment, napi_value value) {
  Handle* handle = handleOf(environment, value);
  if (handle == nullptr) throwTypeError(environment, "Expected a Tensor.");
  return *handle;
}

Napi::Value disposeTensor(Environment& environment, const Napi::CallbackInfo& info) {
  dispose(handleArgument(environment, info[0]));
  environment.reportMemory();
  return info.Env().Undefined();
}

Napi::Value isDisposed(Environment& environment, const Napi::CallbackInfo& info) {
  const bool disposed = handleArgument(environment, info[0]).state == Handle::State::Disposed;
  return Napi::Boolean::New(environment.env, disposed);
}

Napi::Value setOrigin(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string name = info[0].ToString();
  auto& origins = environment.origins;
  if (name.empty()) {
    environment.origin = 0;
  } else if (origins.back() == name) {
    environment.origin = static_cast<uint32_t>(origins.size() - 1);
  } else {
    environment.origin = static_cast<uint32_t>(origins.size());
    origins.push_back(name);
  }
  return info.Env().Undefined();
}

}  // namespace

napi_value wrap(Environment& environment, at::Tensor tensor, napi_value shell) {
  const napi_env env = environment.env;
  napi_value wrapper = shell;
  if (!tensor.defined()) {
    napi_get_null(env, &wrapper);
    return wrapper;
  }
  if (wrapper == nullptr) {
    napi_value constructor;
    napi_get_reference_value(env, environment.tensorClass, &constructor);
    if (napi_new_instance(env, constructor, 0, nullptr, &wrapper) != napi_ok) throw Napi::Error::New(env);
  }

  environment.noteDevice(tensor.device());
  Handle* handle = environment.pool.acquire();
  handle->tensor = std::move(tensor);
  handle->environment = &environment;
  handle->origin = environment.origin;
  handle->state = Handle::State::Live;
  handle->scope = static_cast<uint32_t>(environment.scopes.size());
  if (handle->scope != 0) handle->insertBefore(environment.scopes.back());
  const napi_status wrapped = napi_wrap(env, wrapper, handle, finalizeTensor, nullptr, nullptr);
  if (wrapped != napi_ok) [[unlikely]] {
    dispose(*handle);
    environment.handleReleased(handle);
    throwTypeError(environment, "callInto() needs a fresh wrapper: use call().");
  }
  return wrapper;
}

napi_value wrapGradient(Environment& environment, const at::Tensor& gradient) {
  const auto found = environment.gradients.find(gradient.unsafeGetTensorImpl());
  if (found != environment.gradients.end()) {
    napi_value known = nullptr;
    napi_get_reference_value(environment.env, found->second.weak, &known);
    if (known != nullptr) return known;
  }
  const napi_value wrapper = wrap(environment, gradient);
  if (gradient.defined()) noteGradient(environment, wrapper);
  return wrapper;
}

void noteGradient(Environment& environment, napi_value wrapper) {
  Handle* handle = handleOf(environment, wrapper);
  if (handle == nullptr || handle->isGradient) return;
  napi_ref weak;
  if (napi_create_reference(environment.env, wrapper, 0, &weak) != napi_ok) return;
  handle->isGradient = true;
  const Environment::GradientWrapper noted{weak, handle};
  const auto [place, fresh] = environment.gradients.try_emplace(handle->tensor.unsafeGetTensorImpl(), noted);
  if (fresh) return;
  environment.dead->add(place->second.weak);
  place->second = noted;
}

Handle* handleOf(Environment& environment, napi_value value) {
  void* data;
  if (napi_unwrap(environment.env, value, &data) != napi_ok) return nullptr;
  return environment.pool.contains(data) ? static_cast<Handle*>(data) : nullptr;
}

at::Tensor& tensorOf(Environment& environment, Handle& handle) {
  if (handle.state == Handle::State::Disposed) [[unlikely]] {
    const std::string& origin = environment.origins[handle.origin];
    throwError(
        environment, ErrorClass::UseAfterDispose,
        "This tensor" + (origin.empty() ? "" : ", made in " + origin + ",") +
            " was disposed and has no memory any more: keep it out of tidy by returning it, or dispose "
            "it after its last use.");
  }
  return handle.tensor;
}

at::Tensor& tensorOf(Environment& environment, napi_value value, const char* what) {
  Handle* handle = handleOf(environment, value);
  if (handle == nullptr) throwTypeError(environment, std::string("Expected ") + what + " to be a Tensor.");
  return tensorOf(environment, *handle);
}

void dispose(Handle& handle) {
  if (handle.state != Handle::State::Live) return;
  handle.state = Handle::State::Disposed;
  handle.unlink();
  forgetGradient(handle);
  handle.tensor.reset();
}

void defineTensor(Environment& environment, Napi::Object exports) {
  const napi_env env = environment.env;
  const auto classes = Napi::Env(env).RunScript(kClasses).As<Napi::Object>();
  napi_create_reference(env, classes.Get("Wrapper"), 1, &environment.tensorClass);
  exports.Set("Tensor", classes.Get("Tensor"));
  exports.Set("Wrapper", classes.Get("Wrapper"));
  define<isTensor>(environment, exports, "isTensor");
  define<disposeTensor>(environment, exports, "dispose");
  define<isDisposed>(environment, exports, "isDisposed");
  define<setOrigin>(environment, exports, "setOrigin");
}

}  // namespace mpslab
