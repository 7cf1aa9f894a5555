// The simulated device: a Metal device on a machine that has none. It is off until it is switched on, then
// stays on for the life of the process.
#pragma once
#include <functional>
#include <string>

#include "simulated_metal/kernels/registration.h"
#include "simulated_metal/memory/device_memory.h"

namespace mpslab::metal {

struct Options {
  DeviceSize size;
  /// Operators return at once, and run on the device's thread.
  bool queueing = true;
};

bool isSimulated();
const Options& options();

/// Functions of the language that drives the device.
struct Language {
  /// Frees unreachable tensors. Called before an allocation fails.
  std::function<void()> collectGarbage;
  /// Called on a thread that waits for the device. Throws if the user wants to stop.
  std::function<void()> checkStop;
};

/// Switches the device on. Throws c10::Error where the watermarks of the environment are out of order.
void simulate(const Options& options, const MetalKernels& kernels, Language language);

}  // namespace mpslab::metal
