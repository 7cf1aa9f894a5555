// Starts collectives and messages.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// Adds `start` to the addon's object `distributed`.
void defineCollectives(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
