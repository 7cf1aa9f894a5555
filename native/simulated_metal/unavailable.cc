// Implements simulated_metal.h on a Mac, which has a real Metal device, so nothing simulates one.
#include "addon/guard.h"
#include "simulated_metal/simulated_metal.h"

namespace mpslab {
namespace {

Napi::Value simulateMetal(Environment& environment, const Napi::CallbackInfo&) {
  throwTypeError(environment, "This Mac has Metal itself: nothing is simulated here.");
}

Napi::Value simulatedMetal(Environment&, const Napi::CallbackInfo& info) { return info.Env().Null(); }

Napi::Value metalFallbacks(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Array::New(info.Env());
}

Napi::Value plantMetalFault(Environment& environment, const Napi::CallbackInfo&) {
  throwTypeError(environment,
                 "mps.simulation: this Mac has Metal itself, and its own faults: none is planted.");
}

Napi::Value metalFaults(Environment&, const Napi::CallbackInfo& info) { return Napi::Array::New(info.Env()); }

/// A Mac's signposts go to Instruments.
Napi::Value metalSignposts(Environment&, const Napi::CallbackInfo& info) {
  return Napi::Array::New(info.Env());
}

}  // namespace

bool metalIsSimulated() { return false; }

void defineSimulatedMetal(Environment& environment, Napi::Object exports) {
  define<simulateMetal>(environment, exports, "simulateMetal");
  define<simulatedMetal>(environment, exports, "simulatedMetal");
  define<plantMetalFault>(environment, exports, "plantMetalFault");
  define<metalFaults>(environment, exports, "metalFaults");
  define<metalFallbacks>(environment, exports, "metalFallbacks");
  define<metalSignposts>(environment, exports, "metalSignposts");
}

}  // namespace mpslab
