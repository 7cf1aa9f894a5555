// Refuses calls that would end the process inside libtorch, or never return. The table of operators is in
// refusals.cc.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <vector>

namespace mpslab {

/// Throws where libtorch must not be given these arguments.
using Refusal = void (*)(const std::vector<c10::IValue>& arguments);

/// nullptr for the operators that refuse what they cannot do by themselves: nearly all.
Refusal refusalOf(const c10::OperatorName& name);

}  // namespace mpslab
