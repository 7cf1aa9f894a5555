// Copies the half-precision arguments to float32, and the result back.
#include "simulated_metal/kernels/half_products.h"

#include <algorithm>

namespace mpslab::metal {
namespace {

bool isTensor(const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); }

bool isHalf(const c10::IValue& value) {
  return isTensor(value) && at::isReducedFloatingType(value.toTensor().scalar_type());
}

}  // namespace

bool multipliesHalves(const OperatorPlan& plan, const torch::jit::Stack& stack) {
  // If the dtypes differ, the CPU's kernel must see them, because it refuses that.
  return plan.multiplies && isHalf(stack[0]) && std::ranges::all_of(stack, [&](const c10::IValue& value) {
           return !isTensor(value) || value.toTensor().scalar_type() == stack[0].toTensor().scalar_type();
         });
}

void multiplyInFloat32(const OperatorPlan& plan, torch::jit::Stack& stack) {
  const torch::jit::Stack given = stack;
  const at::ScalarType dtype = given[0].toTensor().scalar_type();
  for (c10::IValue& value : stack) {
    if (isHalf(value)) value = value.toTensor().to(at::kFloat);
  }
  plan.handle.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack);
  for (size_t i = 0; i < plan.results.size(); ++i) {
    if (!isTensor(stack[i])) continue;
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
