// Says of an operator's call why a replay could not repeat it.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>

namespace mpslab::capture {

/// Empty where it can be repeated. `isFirst`: it is the first call of a step, which may give tensors another
/// memory, as cuDNN does with the weights of an LSTM.
std::string refusalOf(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments,
                      bool isFirst);

/// The operator's name as users call it: `maskedSelect`.
std::string nameOf(const c10::OperatorHandle& op);

}  // namespace mpslab::capture
