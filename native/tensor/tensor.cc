// Tensor wrappers: class, finalizer, disposal, origin.
//
// Plain Node-API calls where a wrapper is made or read: they run several times for each operator, and
// node-addon-api's ObjectWrap would add a C++ object and a persistent handle to each wrapper.
#include "tensor/tensor.h"

#include "addon/guard.h"
#include "tensor/exports.h"
#include "tensor/tensor_property.h"
#include "tensor/value.h"

namespace mpslab {
namespace {

void forgetGradient(Handle& handle) {
  if (!handle.isGradient) return;
  handle.isGradient = false;
  Environment& environment = *handle.environment;
  const auto found = environment.gradients.find(handle.tensor.unsafeGetTensorImpl());
  if (found == environment.gradients.end() || found->second.handle != &handle) return;
  environment.dead->add(found->second.weak);
  environment.gradients.erase(found);
}

/// A basic finalizer, which runs inside the collection: so even a loop that never yields gives memory back.
void finalizeTensor(node_api_basic_env, void* data, void*) {
  auto* handle = static_cast<Handle*>(data);
  forgetGradient(*handle);
  handle->tensor.reset();
  handle->environment->handleReleased(handle);
}

Napi::Value isTensor(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(environment.env, handleOf(environment, info[0]) != nullptr);
}

/// The answer is in the exchange array: 0, or the number that the wrapper has from now on.
Napi::Value disposeTensor(Environment& environment, Handle& handle) {
  environment.exchange[0] = 0;
  if (handle.state == Handle::State::Live) {
    dispose(handle);
    environment.exchange[0] = vacateSlot(environment, handle);
  }
  return Napi::Env(environment.env).Undefined();
}

Napi::Value isDisposed(Environment& environment, Handle& handle) {
  return Napi::Boolean::New(environment.env, handle.state == Handle::State::Disposed);
}

Napi::Value setOrigin(Environment& environment, const Napi::CallbackInfo& info) {
  const std::string name = info[0].ToString();
  auto& origins = environment.origins;
  const auto [known, isNew] =
      environment.originNumbers.try_emplace(name, static_cast<uint32_t>(origins.size()));
  if (isNew) origins.push_back(name);
  environment.origin = known->second;
  return info.Env().Undefined();
}

/// Makes an unused handle stand for a tensor.
void occupy(Environment& environment, Handle* handle, at::Tensor&& tensor) {
  handle->tensor = std::move(tensor);
  handle->environment = &environment;
  handle->origin = environment.origin;
  handle->state = Handle::State::Live;
  handle->scope = static_cast<uint32_t>(environment.scopes.size());
  if (handle->scope != 0) handle->insertBefore(environment.scopes.back());
}

Handle* newHandle(Environment& environment, at::Tensor&& tensor) {
  environment.noteDevice(tensor);
  Handle* handle = environment.pool.acquire();
  occupy(environment, handle, std::move(tensor));
  return handle;
}

uint32_t disposedNumber(Environment& environment, uint32_t origin) {
  auto& numbers = environment.disposedNumbers;
  if (numbers.size() <= origin) numbers.resize(environment.origins.size());
  if (numbers[origin] == 0) {
    Handle* handle = environment.pool.acquire();
    handle->environment = &environment;
    handle->origin = origin;
    handle->state = Handle::State::Disposed;
    numbers[origin] = handle->number;
  }
  return numbers[origin];
}

[[noreturn]] void failToWrap(Environment& environment, Handle* handle) {
  dispose(*handle);
  environment.handleReleased(handle);
  throwTypeError(environment, "callInto() needs a fresh wrapper: use call().");
}

/// The handle of a wrapper that so far has only a number. Attaches the handle, so that Node-API finds it from
/// now on.
Handle* handleByNumber(Environment& environment, napi_value value) {
  const napi_env env = environment.env;
  napi_value function;
  napi_value undefined;
  napi_value result;
  double number = 0;
  napi_get_undefined(env, &undefined);
  if (napi_get_reference_value(env, environment.wrapperNumber, &function) != napi_ok ||
      napi_call_function(env, undefined, function, 1, &value, &result) != napi_ok ||
      napi_get_value_double(env, result, &number) != napi_ok) {
    return nullptr;
  }
  Handle* handle = environment.pool.at(number);
  if (handle != nullptr) {
    handle->reusable = false;
    napi_wrap(env, value, handle, nullptr, nullptr, nullptr);
  }
  return handle;
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
    napi_get_reference_value(env, environment.wrapperClass, &constructor);
    if (napi_new_instance(env, constructor, 0, nullptr, &wrapper) != napi_ok) throw Napi::Error::New(env);
  }
  Handle* handle = newHandle(environment, std::move(tensor));
  const napi_status wrapped = napi_wrap(env, wrapper, handle, finalizeTensor, nullptr, nullptr);
  if (wrapped != napi_ok) [[unlikely]]
    failToWrap(environment, handle);
  return wrapper;
}

Napi::Array wrapAll(Environment& environment, at::TensorList tensors) {
  Napi::Array array = Napi::Array::New(environment.env, tensors.size());
  for (uint32_t i = 0; i < tensors.size(); ++i)
    array.Set(i, Napi::Value(environment.env, wrap(environment, tensors[i])));
  return array;
}

uint32_t fillSlot(Environment& environment, at::Tensor tensor, napi_value slot, double reused) {
  Handle* handle = environment.pool.at(reused);
  if (handle != nullptr && handle->reusable && handle->state == Handle::State::Disposed) {
    environment.noteDevice(tensor);
    occupy(environment, handle, std::move(tensor));
    return handle->number;
  }
  handle = newHandle(environment, std::move(tensor));
  const napi_status added =
      napi_add_finalizer(environment.env, slot, handle, finalizeTensor, nullptr, nullptr);
  if (added != napi_ok) [[unlikely]]
    failToWrap(environment, handle);
  handle->reusable = true;
  return handle->number;
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
  const napi_status status = napi_unwrap(environment.env, value, &data);
  if (status == napi_invalid_arg) return handleByNumber(environment, value);
  if (status != napi_ok) return nullptr;
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
  if (handle == nullptr)
    throwTypeError(environment, std::string("Expected ") + what + " to be a Tensor, but got " +
                                    describe(environment, look(environment, value)) + ".");
  return tensorOf(environment, *handle);
}

void dispose(Handle& handle) {
  if (handle.state != Handle::State::Live) return;
  handle.state = Handle::State::Disposed;
  if (handle.environment->capture) [[unlikely]]
    handle.environment->capture->disposed.insert(handle.tensor.unsafeGetTensorImpl());
  if (!handle.environment->capturedTensors->needed.empty()) [[unlikely]]
    handle.environment->capturedTensors->noteDisposed(handle.tensor.unsafeGetTensorImpl());
  handle.unlink();
  forgetGradient(handle);
  handle.tensor.reset();
}

uint32_t vacateSlot(Environment& environment, Handle& handle) {
  // If an operator is running, this is code of one of its hooks. The operator may look at the handle again,
  // and must not find another tensor there.
  if (!handle.reusable || environment.recorder.runs()) return 0;
  return disposedNumber(environment, handle.origin);
}

void defineTensor(Environment& environment, Napi::Object exports) {
  define<isTensor>(environment, exports, "isTensor");
  defineProperty<disposeTensor>(environment, exports, "dispose");
  defineProperty<isDisposed>(environment, exports, "isDisposed");
  define<setOrigin>(environment, exports, "setOrigin");
}

}  // namespace mpslab
