// Checks that the tensors of a call, and its generator, are on devices that may meet.
#pragma once
#include "call/resolve.h"

namespace mpslab {

/// Throws DeviceMismatchError unless all tensors are on one device, except CPU scalars, which PyTorch lets
/// meet any device. A generator must be of the tensors' kind of device.
void checkDevices(Environment& environment, const Operator& op, const Overload& overload,
                  const Binding& binding);

}  // namespace mpslab
