// Asks what an operator is and what a call of it does, by its schema, its kernels and its results.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace mpslab::capture {

/// The operator's name as users call it: `maskedSelect`.
std::string nameOf(const c10::OperatorHandle& op);

/// Whether the operator is a c10d collective. Its last result is then a c10d::Work, which must be waited for.
bool isCollective(const c10::OperatorHandle& op);

/// Whether the schema marks the argument, or the result that is an argument, as written.
bool isWritten(const c10::Argument& argument);

/// Whether the operator writes the tensors of that argument.
bool writes(const c10::OperatorHandle& op, size_t argument);
bool writesAny(const c10::OperatorHandle& op);

/// The first tensor among the arguments, lists included; nullptr if there is none.
const at::Tensor* firstTensor(c10::ArrayRef<const c10::IValue> values);

/// The tensors of an operator's results, in order.
std::vector<at::Tensor> tensorsOf(const std::vector<c10::IValue>& results);

/// Whether the results are views of the first argument.
bool areViews(const c10::OperatorHandle& op, const at::Tensor& first, const std::vector<at::Tensor>& results);

/// Whether a program records the operators that this one calls, instead of this one. `device` is where it
/// runs if no argument says so.
bool isTakenApart(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments,
                  at::Device device);

}  // namespace mpslab::capture
