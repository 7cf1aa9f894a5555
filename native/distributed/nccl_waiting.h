// Waits for a GPU that may wait for other processes: Stop ends the wait, and so does an operation that failed
// on another rank.
#pragma once
#include <napi.h>

#include "addon/environment.h"

namespace mpslab {

/// Makes all waits for CUDA use this wait from now on.
void watchWaits();

/// Notes that a captured step has collectives, so that a wait that exceeds their timeout ends them.
void noteReplayed();

/// Adds `explainGpuFailures` to the addon's object `distributed`.
void defineNcclWaiting(Environment& environment, Napi::Object distributed);

}  // namespace mpslab
