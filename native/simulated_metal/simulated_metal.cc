// JavaScript's side of the simulated device: switching it on, and what it counted. Knows no operator.
#include "simulated_metal.h"

#include "../addon.h"
#include "../guard.h"
#include "device.h"
#include "kernel.h"

namespace mpslab {
namespace {

Napi::Value simulateMetal(Environment& environment, const Napi::CallbackInfo& info) {
  if (metal::isSimulated()) throwTypeError(environment, "Metal is simulated already.");
  const auto given = info[0].As<Napi::Object>();
  const metal::Options options{{static_cast<size_t>(given.Get("memoryBytes").ToNumber().DoubleValue())},
                               given.Get("queueing").ToBoolean()};
  metal::simulate(options, collectGarbageOfThread);
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
  return result;
}

}  // namespace

std::optional<SimulatedMemory> simulatedMetalMemory() {
  if (!metal::isSimulated()) return {};
  constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  const auto stats = metal::deviceMemory().getDeviceStats(0);
  return SimulatedMemory{stats.allocated_bytes[kAll].peak, stats.allocation[kAll].allocated};
}

void resetSimulatedMetalPeak() {
  if (metal::isSimulated()) metal::deviceMemory().resetPeakStats(0);
}

void defineSimulatedMetal(Environment& environment, Napi::Object exports) {
  define<simulateMetal>(environment, exports, "simulateMetal");
  define<simulatedMetal>(environment, exports, "simulatedMetal");
}

}  // namespace mpslab
