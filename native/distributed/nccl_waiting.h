// Waits for a GPU that may wait for other processes: Stop ends the wait, and so does an operation that failed
// on another rank.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// From now on the host waits so for CUDA.
void watchWaits();

/// A captured step has collectives: a wait that is longer than their timeout ends them.
void noteReplayed();

/// Adds `explainGpuFailures` to the addon's object `distributed`.
void defineNcclWaiting(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
