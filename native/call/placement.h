// Checks that the tensors of a call are on devices that may meet.
#pragma once
#include "call/resolve.h"

namespace mpslab {

/// PyTorch lets a CPU scalar meet tensors of any device; all others must agree. Throws DeviceMismatchError.
void checkDevices(Environment& environment, const Operator& op, const Overload& overload,
                  const Binding& binding);

}  // namespace mpslab
