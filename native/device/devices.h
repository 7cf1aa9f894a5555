// Lists the devices of this machine, and parses device arguments.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// The device that a text names, checked to work on this machine. Throws TypeError or RangeError otherwise.
at::Device deviceArgument(Environment& environment, Napi::Value value, const char* function);

/// Loads libtorch's CUDA part if the machine has a driver for it and the installed libtorch has that part.
/// Must be called before libtorch first looks for devices, because it keeps what it finds then. Loads nothing
/// if the environment asks for simulated Metal (libtorch takes one accelerator, and its autograd throws if
/// there are two) or if CUDA_VISIBLE_DEVICES shows no device.
void loadCuda();

}  // namespace mpslab
