// The simulated device's kernel for any operator with a CPU kernel: it runs that kernel on the same memory.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <map>
#include <string>

#include "simulated_metal/kernels/operator_plan.h"
#include "simulated_metal/kernels/signature.h"

namespace mpslab::metal {

/// A boxed kernel: libtorch calls it with tensors of the device on the stack.
class HostKernel final : public c10::OperatorKernel {
 public:
  explicit HostKernel(const c10::OperatorHandle& handle) : plan_(handle) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet, torch::jit::Stack* stack);

 private:
  const Shapes* shapesFor(c10::ArrayRef<c10::IValue> arguments, std::string_view signature);
  void view(torch::jit::Stack& stack);
  void launch(torch::jit::Stack& stack, const Shapes& shapes);
  void runNow(torch::jit::Stack& stack, std::string_view signature);

  OperatorPlan plan_;
  Signatures signatures_;
};

/// How often the queue was drained for an operator whose result's shape was not known, by operator.
std::map<std::string, int64_t> drains();

}  // namespace mpslab::metal
