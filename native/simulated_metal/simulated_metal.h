// What JavaScript and the rest of the addon ask of the simulated Metal device. On a Mac, which has a real
// one, every answer is no.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

bool metalIsSimulated();

void defineSimulatedMetal(Environment& environment, Napi::Object exports);

}  // namespace mpslab
