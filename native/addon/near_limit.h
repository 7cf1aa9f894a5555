// Calls JavaScript when tensors on Metal hold nearly the recommended memory (`lib/torch/mps/limits.ts`). The
// state is thread-local: each environment has a thread, and one environment has the device.
#pragma once
#include <c10/core/Device.h>
#include <napi.h>

#include <cstdint>

#include "addon/environment.h"

namespace mpslab {

/// The device whose tensors are counted from now on. Another than mps recommends nothing.
void watchLimit(at::Device device);

/// Whether so many bytes would be nearly the recommended, and were not yet when last counted.
bool mayComeNearLimit(int64_t bytes);

/// Returns whether the counted bytes are near the limit, for the first time since JavaScript's function was
/// set or since they were not near.
bool comesNearLimit(int64_t bytes);

/// Calls JavaScript's function with the bytes from which on it is near.
void tellNearLimit(napi_env env);

}  // namespace mpslab
