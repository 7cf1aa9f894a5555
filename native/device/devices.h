// Lists the devices of this machine, and parses device arguments.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// The device that a text names, checked to work on this machine. Throws TypeError or RangeError otherwise.
at::Device deviceArgument(Environment& environment, Napi::Value value, const char* function);

/// Loads libtorch's CUDA part where the machine has a driver for it and the installed libtorch has that part.
/// Before libtorch first looks for devices: what it finds then it keeps. Not where the environment asks for
/// simulated Metal: libtorch takes one accelerator, and its autograd throws where there are two. Nor where
/// CUDA_VISIBLE_DEVICES shows none.
void loadCuda();

}  // namespace mpslab
