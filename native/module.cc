// The entry point of the addon: creates an environment for each JavaScript realm, and adds the exports of
// every folder.
#include <c10/util/Logging.h>
#include <napi.h>
#include <torch/headeronly/version.h>

#include <mutex>

#include "addon/environment.h"
#include "addon/exports.h"
#include "autograd/engine.h"
#include "autograd/exports.h"
#include "call/exports.h"
#include "capture/exports.h"
#include "device/devices.h"
#include "device/exports.h"
#include "distributed/exports.h"
#include "errors/warnings.h"
#include "memory/allocator.h"
#include "random/exports.h"
#include "shadow/exports.h"
#include "simulated_metal/simulated_metal.h"
#include "tensor/exports.h"

namespace mpslab {
namespace {

void closeEnvironment(node_api_basic_env, void* data, void*) { static_cast<Environment*>(data)->close(); }

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  // This runs before libtorch's first allocation, so that every CPU tensor of the process is counted.
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
  defineCallbackFunctions(*environment, exports);
  defineNearLimit(*environment, exports);
  defineTensor(*environment, exports);
  defineScopes(*environment, exports);
  defineProperties(*environment, exports);
  defineDispatch(*environment, exports);
  defineFastCall(*environment, exports);
  defineData(*environment, exports);
  defineAutograd(*environment, exports);
  defineHooks(*environment, exports);
  defineGraphTask(*environment, exports);
  defineAnomaly(*environment, exports);
  defineAutocast(*environment, exports);
  defineCallSite(*environment, exports);
  defineRetained(*environment, exports);
  defineProfiler(*environment, exports);
  defineMemoryHistory(*environment, exports);
  defineBackwardCopies(*environment, exports);
  defineCustomFunctions(*environment, exports);
  defineGraphNodes(*environment, exports);
  defineSavedTensors(*environment, exports);
  defineTransforms(*environment, exports);
  defineCapture(*environment, exports);
  defineShadow(*environment, exports);
  defineRandom(*environment, exports);
  defineGenerators(*environment, exports);
  defineDevices(*environment, exports);
  defineEvents(*environment, exports);
  defineEventPromises(*environment, exports);
  defineWaiting(*environment, exports);
  defineDeviceSession(*environment, exports);
  defineMps(*environment, exports);
  defineShaders(*environment, exports);
  defineDistributed(*environment, exports);
  defineSimulatedMetal(*environment, exports);
  return exports;
}

NODE_API_MODULE(mpslab, initialize)

}  // namespace
}  // namespace mpslab
