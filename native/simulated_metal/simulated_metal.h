// Declares what JavaScript and the rest of the addon use of the simulated Metal device. On a Mac, which has a
// real one, every function answers no.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

bool metalIsSimulated();

void defineSimulatedMetal(Environment& environment, Napi::Object exports);

}  // namespace mpslab
