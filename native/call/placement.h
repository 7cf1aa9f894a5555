// Checks that the tensors of a call, and its generator, are on devices that may meet.
#pragma once
#include "call/resolve.h"

namespace mpslab {

/// PyTorch lets a CPU scalar meet tensors of any device; all others must agree, and a generator draws
/// for tensors of its own kind of device. Throws DeviceMismatchError.
void checkDevices(Environment& environment, const Operator& op, const Overload& overload,
                  const Binding& binding);

}  // namespace mpslab
