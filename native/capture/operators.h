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

/// Whether the operator is a collective of c10d's: its last result is a c10d::Work, which is to be waited
/// for.
bool isCollective(const c10::OperatorHandle& op);

/// Whether the schema says that what it calls so is written: an argument, or a result that is one.
bool isWritten(const c10::Argument& argument);

/// Whether the operator writes the tensors that it is given as that argument.
bool writes(const c10::OperatorHandle& op, size_t argument);
bool writesAny(const c10::OperatorHandle& op);

/// The first tensor among the arguments, also in a list; nullptr where there is none.
const at::Tensor* firstTensor(c10::ArrayRef<const c10::IValue> values);

/// The tensors of an operator's results, in order.
std::vector<at::Tensor> tensorsOf(const std::vector<c10::IValue>& results);

/// Whether the results are the first argument's elements, seen otherwise.
bool areViews(const c10::OperatorHandle& op, const at::Tensor& first, const std::vector<at::Tensor>& results);

/// Whether the operator calls others that a program has in its place. `device`: where it runs if no argument
/// says so.
bool isTakenApart(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments,
                  at::Device device);

}  // namespace mpslab::capture
