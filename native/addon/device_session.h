// Allows one device session in a process: it belongs to the environment that first held a tensor of a device.
// Metal's queue and PyTorch's mps operators take one thread at a time (pytorch#197805), and each of two
// processes would plan with the whole memory.
#pragma once
#include "addon/environment.h"

namespace mpslab {

/// Gives the devices to this environment. Throws if they belong to another one, or to a parent process.
void claimDevices(Environment& environment);

/// Called when the environment ends, so that another one may claim the devices.
void giveDevicesBack(Environment& environment);

}  // namespace mpslab
