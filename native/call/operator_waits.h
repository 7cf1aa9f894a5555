// Waits for the device before an operator that would wait inside libtorch, so that the wait is counted.
#pragma once
#include "call/resolve.h"

namespace mpslab {

/// Waits for the device before an operator whose result the host needs (`nonzero`, indexing by a mask, a copy
/// to another kind of device). libtorch would wait inside the operator, where waiting cannot be distinguished
/// from work.
void waitBeforeOperator(Environment& environment, const Overload& overload, const Binding& binding);

}  // namespace mpslab
