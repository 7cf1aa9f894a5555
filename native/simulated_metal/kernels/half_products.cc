// Copies the halves among the arguments to float32, and what came out back.
#include "simulated_metal/kernels/half_products.h"

namespace mpslab::metal {
namespace {

bool isHalf(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return false;
  const at::ScalarType dtype = value.toTensor().scalar_type();
  return dtype == at::kHalf || dtype == at::kBFloat16;
}

}  // namespace

bool multipliesHalves(const OperatorPlan& plan, const torch::jit::Stack& stack) {
  return plan.multiplies && isHalf(stack[0]);
}

void multiplyInFloat32(const OperatorPlan& plan, torch::jit::Stack& stack) {
  const torch::jit::Stack given = stack;
  const at::ScalarType dtype = given[0].toTensor().scalar_type();
  for (c10::IValue& value : stack) {
    if (isHalf(value)) value = value.toTensor().to(at::kFloat);
  }
  plan.handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
  for (size_t i = 0; i < plan.results.size(); ++i) {
    if (!stack[i].isTensor() || !stack[i].toTensor().defined()) continue;
    const at::Tensor& computed = stack[i].toTensor();
    const int written = plan.results[i].argument;
    if (written < 0) {
      stack[i] = computed.to(dtype);
      continue;
    }
    const at::Tensor& target = given[static_cast<size_t>(written)].toTensor();
    if (target.sizes() != computed.sizes()) target.resize_(computed.sizes());
    target.copy_(computed);
    stack[i] = target;
  }
}

}  // namespace mpslab::metal
