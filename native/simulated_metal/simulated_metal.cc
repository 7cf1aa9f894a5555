// Functions for JavaScript: switch the simulated device on, and read what it counted.
#include "simulated_metal/simulated_metal.h"

#include <ATen/detail/CUDAHooksInterface.h>

#include <algorithm>

#include "addon/guard.h"
#include "simulated_metal/device.h"
#include "simulated_metal/kernels/fallback.h"
#include "simulated_metal/kernels/faults.h"
#include "simulated_metal/kernels/kernel.h"
#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab {
namespace {

Napi::Value simulateMetal(Environment& environment, const Napi::CallbackInfo& info) {
  if (metal::isSimulated()) throwTypeError(environment, "Metal is simulated already.");
  if (at::detail::getCUDAHooks().isBuilt()) {
    throwTypeError(
        environment,
        "mps.simulate: CUDA is loaded in this session, and PyTorch works with one accelerator: "
        "restart the session, and begin with %metal simulated 16GB, which leaves CUDA out; outside a "
        "notebook set MPSLAB_METAL=\"simulated 16GB\".");
  }
  const auto given = info[0].As<Napi::Object>();
  const metal::Options options{{static_cast<size_t>(given.Get("memoryBytes").ToNumber().DoubleValue())},
                               given.Get("queueing").ToBoolean()};
  const auto named = info[1].As<Napi::Object>();
  const auto namesOf = [&](const char* group) { return named.Get(group).ToString().Utf8Value(); };
  const metal::MetalKernels kernels{namesOf("strided"), {namesOf("sparse"), namesOf("ownSparse")}};
  metal::simulate(options, kernels, {collectGarbageOfThread, checkStopOfThread});
  return info.Env().Undefined();
}

Napi::Value simulatedMetal(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!metal::isSimulated()) return env.Null();
  Napi::Object result = Napi::Object::New(env);
  const metal::Options& options = metal::options();
  metal::DeviceMemory& memory = metal::deviceMemory();
  result.Set("memoryBytes", static_cast<double>(options.size.memoryBytes));
  result.Set("queueing", options.queueing);
  const size_t limit = memory.limitBytes();
  result.Set("limitBytes", limit == metal::Heaps::kUnlimited
                               ? env.Null()
                               : Napi::Number::New(env, static_cast<double>(limit)));
  result.Set("cappedByHost", memory.cappedByHost());
  Napi::Object drains = Napi::Object::New(env);
  for (const auto& [name, count] : metal::drains()) drains.Set(name, static_cast<double>(count));
  result.Set("drains", drains);
  const std::string fault = metal::plantedFault();
  result.Set("fault", fault.empty() ? env.Null() : Napi::String::New(env, fault));
  return result;
}

/// `plantMetalFault(name)`, or null for none. The operators that were launched before run as they should.
Napi::Value plantMetalFault(Environment& environment, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  metal::queue().synchronize();
  if (!metal::plantFault(info[0].IsString() ? info[0].ToString().Utf8Value() : std::string()))
    throwRangeError(environment, "mps.simulation: there is no such fault.");
  return env.Undefined();
}

Napi::Value metalFaults(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Array list = Napi::Array::New(env);
  for (const metal::FaultName& fault : metal::faults()) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("name", fault.name);
    one.Set("report", fault.report);
    list.Set(list.Length(), one);
  }
  return list;
}

Napi::Value metalFallbacks(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  std::vector<metal::FallbackCount> counts = metal::fallbackCounts();
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
  Napi::Array list = Napi::Array::New(env, counts.size());
  for (uint32_t i = 0; i < counts.size(); ++i) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("operator", counts[i].name);
    one.Set("calls", static_cast<double>(counts[i].calls));
    one.Set("toCpuBytes", static_cast<double>(counts[i].toCpuBytes));
    one.Set("fromCpuBytes", static_cast<double>(counts[i].fromCpuBytes));
    one.Set("wallMs", counts[i].wallMs);
    list.Set(i, one);
  }
  return list;
}

const char* nameOf(metal::Execution::Kind kind) {
  switch (kind) {
    case metal::Execution::Kind::Operation:
      return "operation";
    case metal::Execution::Kind::Copy:
      return "copy";
    default:
      return "fallback";
  }
}

Napi::Value metalSignposts(Environment&, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::vector<metal::Signpost> set = metal::keptSignposts();
  Napi::Array list = Napi::Array::New(env, set.size());
  for (uint32_t i = 0; i < set.size(); ++i) {
    Napi::Object one = Napi::Object::New(env);
    one.Set("name", set[i].name);
    one.Set("kind", nameOf(set[i].kind));
    one.Set("mode", set[i].interval ? "interval" : "event");
    one.Set("beganMs", set[i].beganMs);
    one.Set("wallMs", set[i].wallMs);
    list.Set(i, one);
  }
  return list;
}

}  // namespace

bool metalIsSimulated() { return metal::isSimulated(); }

void defineSimulatedMetal(Environment& environment, Napi::Object exports) {
  define<simulateMetal>(environment, exports, "simulateMetal");
  define<simulatedMetal>(environment, exports, "simulatedMetal");
  define<plantMetalFault>(environment, exports, "plantMetalFault");
  define<metalFaults>(environment, exports, "metalFaults");
  define<metalFallbacks>(environment, exports, "metalFallbacks");
  define<metalSignposts>(environment, exports, "metalSignposts");
}

}  // namespace mpslab
