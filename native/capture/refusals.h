// Says of an operator's call why a replay could not repeat it.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>

#include "capture/program.h"

namespace mpslab::capture {

/// Empty where it can be repeated.
std::string refusalOf(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments);

/// The refusal of an operator that gives a tensor another memory.
std::string otherMemoryRefusal(const c10::OperatorHandle& op);

/// For a device that has graphs, which no work of the host is part of: what the step computes on the host of
/// anything else than its own numbers. Empty where there is nothing.
std::string hostWorkOf(const Program& program);

}  // namespace mpslab::capture
