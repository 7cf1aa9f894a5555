// Waits for the device before an operator that would wait inside libtorch, so that the wait is counted.
#pragma once
#include "call/resolve.h"

namespace mpslab {

/// An operator whose result the host needs (`nonzero`, indexing by a mask, a copy to another kind of device)
/// would wait inside libtorch, where waiting cannot be told from work. So the wait happens here, before it.
void waitBeforeOperator(Environment& environment, const Overload& overload, const Binding& binding);

}  // namespace mpslab
