// Devices and their memory. Knows no operator.
#pragma once
#include <napi.h>

#include "environment.h"

namespace mpslab {

/// The device that a text names, checked to work on this machine. Throws TypeError or RangeError otherwise.
at::Device deviceArgument(Environment& environment, Napi::Value value, const char* function);

}  // namespace mpslab
