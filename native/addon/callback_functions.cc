// Takes the classes and functions that the addon calls back from JavaScript: the error classes, the wrapper
// class, the stop flag, the collectors. lib/torch passes them when it loads the addon.
#include "addon/exports.h"
#include "addon/guard.h"

namespace mpslab {
namespace {

void replaceReference(napi_env env, napi_ref& reference, napi_value value) {
  if (reference != nullptr) napi_delete_reference(env, reference);
  napi_create_reference(env, value, 1, &reference);
}

Napi::Value setErrorClasses(Environment& environment, const Napi::CallbackInfo& info) {
  const auto classes = info[0].As<Napi::Object>();
  const auto set = [&](ErrorClass errorClass, const char* name) {
    replaceReference(environment.env, environment.errorClasses[static_cast<size_t>(errorClass)],
                     classes.Get(name));
  };
  set(ErrorClass::OutOfMemory, "OutOfMemoryError");
  set(ErrorClass::UnsupportedOperator, "UnsupportedOperatorError");
  set(ErrorClass::DeviceMismatch, "DeviceMismatchError");
  set(ErrorClass::UseAfterDispose, "UseAfterDisposeError");
  return info.Env().Undefined();
}

/// Takes the wrapper class of `lib/torch/engine/wrapper.ts`. A second copy of the library would have a class
/// of its own, and from then on the addon would know no tensor of the first copy.
Napi::Value setWrapper(Environment& environment, const Napi::CallbackInfo& info) {
  const auto wrapper = info[0].As<Napi::Object>();
  if (environment.wrapperClass != nullptr) {
    napi_value known;
    bool same = false;
    napi_get_reference_value(environment.env, environment.wrapperClass, &known);
    napi_strict_equals(environment.env, known, wrapper, &same);
    if (!same)
      throwTypeError(environment,
                     "mpslab is loaded a second time in this process, from another file: import it from one "
                     "place alone.");
  }
  replaceReference(environment.env, environment.wrapperClass, wrapper);
  replaceReference(environment.env, environment.wrapperNumber, wrapper.Get("number"));
  return info.Env().Undefined();
}

/// Takes the function of `lib/torch/tensor/named_results.ts`.
Napi::Value setResultsClassMaker(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setResultsClassMaker(): expected a function.");
  replaceReference(environment.env, environment.resultsClassMaker, info[0]);
  return info.Env().Undefined();
}

Napi::Value setOutOfMemoryFormatter(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setOutOfMemoryFormatter(): expected a function.");
  replaceReference(environment.env, environment.outOfMemoryFormatter, info[0]);
  return info.Env().Undefined();
}

Napi::Value setStopFlag(Environment& environment, const Napi::CallbackInfo& info) {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  if (!info[0].IsTypedArray() ||
      napi_get_typedarray_info(environment.env, info[0], &type, &length, &data, nullptr, nullptr) !=
          napi_ok ||
      type != napi_int32_array || length == 0 || !info[1].IsFunction()) {
    throwTypeError(environment, "setStopFlag(): expected an Int32Array and a function.");
  }
  // The reference keeps the array alive, and with it the memory that `stop` points at.
  replaceReference(environment.env, environment.stopFlag, info[0]);
  replaceReference(environment.env, environment.interrupted, info[1]);
  environment.stop = static_cast<const int32_t*>(data);
  return info.Env().Undefined();
}

Napi::Value setFlightRecorder(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), environment.recorder.open(info[0].ToNumber().Int32Value()));
}

Napi::Value setCollector(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction() || !info[1].IsFunction())
    throwTypeError(environment, "setCollector(): expected two functions.");
  replaceReference(environment.env, environment.collector, info[0]);
  replaceReference(environment.env, environment.youngCollector, info[1]);
  setEnvironmentOfThread(environment);
  return info.Env().Undefined();
}

}  // namespace

void defineCallbackFunctions(Environment& environment, Napi::Object exports) {
  define<setErrorClasses>(environment, exports, "setErrorClasses");
  define<setWrapper>(environment, exports, "setWrapper");
  define<setResultsClassMaker>(environment, exports, "setResultsClassMaker");
  define<setOutOfMemoryFormatter>(environment, exports, "setOutOfMemoryFormatter");
  define<setStopFlag>(environment, exports, "setStopFlag");
  define<setFlightRecorder>(environment, exports, "setFlightRecorder");
  define<setCollector>(environment, exports, "setCollector");
}

}  // namespace mpslab
