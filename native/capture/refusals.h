// Says why a replay could not repeat an operator's call.
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

/// For a device that has graphs, which cannot contain work of the host: returns why the step cannot be one,
/// if it computes on the host from anything but its own numbers. Empty otherwise.
std::string hostWorkOf(const Program& program);

}  // namespace mpslab::capture
