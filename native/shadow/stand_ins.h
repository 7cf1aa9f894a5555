// Computes what operators that only Metal has compute, with operators that the CPU has.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace mpslab::shadow {

/// Calls an operator with tensors of the CPU. If only Metal has the operator, others compute its results.
void callOrStandIn(const c10::OperatorHandle& op, torch::jit::Stack& stack);

}  // namespace mpslab::shadow
