// Says of an operator's call why a replay could not repeat it.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>

namespace mpslab::capture {

/// Empty where it can be repeated. `onGraph`: the step becomes a graph of the device, which no copy from or
/// to the host can be part of.
std::string refusalOf(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments);

/// The operator's name as users call it: `maskedSelect`.
std::string nameOf(const c10::OperatorHandle& op);

}  // namespace mpslab::capture
