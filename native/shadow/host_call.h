// Calls an operator on the CPU with copies of a call's arguments, and gives what it made and what it wrote.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <vector>

#include "shadow/host_arguments.h"

namespace mpslab::shadow {

/// A tensor that a call made, or an argument that it wrote. A number is a tensor without dimensions.
struct Product {
  /// `result`, `result 1`, `grad_weight`, `self after the call`.
  std::string name;
  at::Tensor tensor;
};

/// The products of a call: new results in order, then the arguments that it writes.
std::vector<Product> productsOf(const c10::OperatorHandle& op, Values arguments, Values results);

/// Calls the operator below autograd and autocast. Its exceptions pass through.
std::vector<Product> callOnHost(const c10::OperatorHandle& op, const HostArguments& arguments,
                                const Form& form = {});

}  // namespace mpslab::shadow
