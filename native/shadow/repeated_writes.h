// Whether a call writes several values to one element, so that it is not determined which of them stays.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include "shadow/host_arguments.h"

namespace mpslab::shadow {

/// @throws c10::Error for indices that the operator refuses too
bool writesRepeatedly(const c10::OperatorHandle& op, const HostArguments& arguments);

}  // namespace mpslab::shadow
