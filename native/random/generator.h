// Random generators that JavaScript holds.
#pragma once
#include <ATen/core/Generator.h>
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// An object's generator, or that of the device which a text names.
at::Generator generatorArgument(Environment& environment, Napi::Value value, const char* function);

}  // namespace mpslab
