// Refuses calls that would end the process inside libtorch, or never return. The table of operators is in
// refusals.cc.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

namespace mpslab {

/// Throws if libtorch must not be given these arguments.
using Refusal = void (*)(const std::vector<c10::IValue>& arguments);

/// Returns nullptr for nearly all operators: those that check their arguments themselves.
Refusal refusalOf(const c10::OperatorName& name);

}  // namespace mpslab
