// The addon's door: makes an environment for each JavaScript realm and hangs every room's functions on it.
// Knows no tensor.
#include "addon/addon.h"

#include <c10/util/Logging.h>
#include <napi.h>
#include <torch/headeronly/version.h>

#include <mutex>

#include "device/devices.h"
#include "memory/allocator.h"
#include "autograd/anomaly.h"
#include "addon/call_site.h"
#include "addon/device_session.h"
#include "autograd/engine.h"
#include "addon/environment.h"
#include "addon/guard.h"
#include "addon/near_limit.h"
#include "device/shaders.h"
#include "simulated_metal/simulated_metal.h"
#include "tensor/tensor.h"
#include "errors/warnings.h"

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

/// `lib/torch/wrapper.ts` has the class.
Napi::Value setWrapper(Environment& environment, const Napi::CallbackInfo& info) {
  const auto wrapper = info[0].As<Napi::Object>();
  replaceReference(environment.env, environment.wrapperClass, wrapper);
  replaceReference(environment.env, environment.wrapperNumber, wrapper.Get("number"));
  return info.Env().Undefined();
}

/// `lib/torch/named_results.ts` has the function.
Napi::Value setResultsClassMaker(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setResultsClassMaker(): expected a function.");
  replaceReference(environment.env, environment.resultsClassMaker, info[0]);
  return info.Env().Undefined();
}

Napi::Value setShortageTeller(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throwTypeError(environment, "setShortageTeller(): expected a function.");
  replaceReference(environment.env, environment.shortageTeller, info[0]);
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
  // The array is held, so its memory stays.
  replaceReference(environment.env, environment.stopFlag, info[0]);
  replaceReference(environment.env, environment.interrupted, info[1]);
  environment.stop = static_cast<const int32_t*>(data);
  return info.Env().Undefined();
}

Napi::Value setFlightRecorder(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), environment.recorder.open(info[0].ToNumber().Int32Value()));
}

/// The environment of this thread: each worker has its own, libtorch's threads have none.
thread_local Environment* ofThread = nullptr;

Napi::Value setCollector(Environment& environment, const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction() || !info[1].IsFunction())
    throwTypeError(environment, "setCollector(): expected two functions.");
  replaceReference(environment.env, environment.collector, info[0]);
  replaceReference(environment.env, environment.youngCollector, info[1]);
  ofThread = &environment;
  return info.Env().Undefined();
}

void closeEnvironment(node_api_basic_env, void* data, void*) {
  if (ofThread == data) ofThread = nullptr;
  static_cast<Environment*>(data)->close();
}

}  // namespace

void collectGarbageOfThread() {
  if (ofThread != nullptr) ofThread->collectGarbage();
}

void checkStopOfThread() {
  if (ofThread != nullptr) ofThread->checkStop();
}

namespace {

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  // Before libtorch's first allocation, so that every CPU tensor of the process is ours to count.
  static std::once_flag prepared;
  std::call_once(prepared, [] {
    // Reads TORCH_CPP_LOG_LEVEL, as Python's torch does when it is imported.
    c10::initLogging();
    installHostAllocator();
    hostAllocator().setMemoryPressureCallback(collectGarbageOfThread);
    loadCuda();
    installEngine();
  });
  installWarnings();
  auto* environment = new Environment(env);
  napi_set_instance_data(env, environment, closeEnvironment, nullptr);
  exports.Set("version", TORCH_VERSION);
  define<setErrorClasses>(*environment, exports, "setErrorClasses");
  define<setWrapper>(*environment, exports, "setWrapper");
  define<setResultsClassMaker>(*environment, exports, "setResultsClassMaker");
  define<setShortageTeller>(*environment, exports, "setShortageTeller");
  define<setStopFlag>(*environment, exports, "setStopFlag");
  define<setFlightRecorder>(*environment, exports, "setFlightRecorder");
  define<setCollector>(*environment, exports, "setCollector");
  defineNearLimit(*environment, exports);
  defineTensor(*environment, exports);
  defineScopes(*environment, exports);
  defineProperties(*environment, exports);
  defineDispatch(*environment, exports);
  defineData(*environment, exports);
  defineAutograd(*environment, exports);
  defineHooks(*environment, exports);
  defineGraphTask(*environment, exports);
  defineAnomaly(*environment, exports);
  defineAutocast(*environment, exports);
  defineCallSite(*environment, exports);
  defineRetained(*environment, exports);
  defineProfiler(*environment, exports);
  defineBackwardCopies(*environment, exports);
  defineCustomFunctions(*environment, exports);
  defineGraphNodes(*environment, exports);
  defineSavedTensors(*environment, exports);
  defineRandom(*environment, exports);
  defineGenerators(*environment, exports);
  defineAccelerator(*environment, exports);
  defineEvents(*environment, exports);
  defineEventPromises(*environment, exports);
  defineWaiting(*environment, exports);
  defineDeviceSession(*environment, exports);
  defineMps(*environment, exports);
  defineShaders(*environment, exports);
  defineSimulatedMetal(*environment, exports);
  return exports;
}

NODE_API_MODULE(mpslab, initialize)

}  // namespace
}  // namespace mpslab
