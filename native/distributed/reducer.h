// Averages gradients over the ranks of a group while backward runs.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// Adds the functions of `DistributedDataParallel` to the addon's object `distributed`.
void defineReducers(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
