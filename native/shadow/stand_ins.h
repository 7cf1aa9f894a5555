// What operators of Metal alone compute, in operators that the CPU has.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace mpslab::shadow {

/// Calls an operator with tensors of the CPU. One that Metal alone has is computed by others.
void callOrStandIn(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace mpslab::shadow
