// The door of the simulated Metal device: what JavaScript and the rest of the addon ask of it. On a Mac,
// which has the real one, every answer is no.
#pragma once
#include <napi.h>

#include <cstdint>
#include <optional>

#include "../environment.h"

namespace mpslab {

struct SimulatedMemory {
  int64_t peakBytes;
  int64_t allocations;
};

/// What PyTorch's hooks do not tell of the device; nothing where it is not simulated.
std::optional<SimulatedMemory> simulatedMetalMemory();
void resetSimulatedMetalPeak();

void defineSimulatedMetal(Environment& environment, Napi::Object exports);

}  // namespace mpslab
