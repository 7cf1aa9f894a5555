// Random generators that JavaScript holds.
#pragma once
#include <ATen/core/Generator.h>
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// The generator of an object, or the default generator of the device that a text names.
at::Generator generatorArgument(Environment& environment, Napi::Value value, const char* function);

}  // namespace mpslab
