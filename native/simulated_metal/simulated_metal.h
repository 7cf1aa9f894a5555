// The door of the simulated Metal device: what JavaScript and the rest of the addon ask of it. On a Mac,
// which has the real one, every answer is no.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

bool metalIsSimulated();

void defineSimulatedMetal(Environment& environment, Napi::Object exports);

}  // namespace mpslab
