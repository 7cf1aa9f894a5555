// Allows one device session in a process: it belongs to the environment that first held a tensor of a device.
// Metal's queue and PyTorch's mps operators take one thread at a time (pytorch#197805), and each of two
// processes would plan with the whole memory.
#pragma once
#include "addon/environment.h"

namespace mpslab {

/// From now on the device is this environment's. Throws where it is another's, or a parent process's.
void claimDevices(Environment& environment);

/// The environment ends: another may claim.
void giveDevicesBack(Environment& environment);

}  // namespace mpslab
