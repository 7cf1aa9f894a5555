// Calls JavaScript when tensors on Metal hold nearly the recommended memory (`lib/torch/mps/limits.ts`). The
// state is thread-local: each environment has a thread, and one environment has the device.
#pragma once
#include <c10/core/Device.h>
#include <napi.h>

#include <cstdint>

#include "addon/environment.h"

namespace mpslab {

/// Sets the device whose tensors are counted from now on. Only mps has a recommended size.
void watchLimit(at::Device device);

/// Whether `bytes` would be near the limit although the last count was not.
bool mayComeNearLimit(int64_t bytes);

/// Notes the counted bytes. Returns true if they are near the limit and were not at the last count, or if
/// JavaScript's function was set since then.
bool comesNearLimit(int64_t bytes);

/// Calls JavaScript's function with the number of bytes from which on memory counts as nearly full.
void tellNearLimit(napi_env env);

}  // namespace mpslab
