// The formulas are those of torchgen's derivatives.yaml and of ATen/native/transformers/attention.cpp.
#include "shadow/stand_ins.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/log_sigmoid_forward.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>

#include <array>
#include <map>
#include <string_view>

namespace mpslab::shadow {
namespace {

using torch::jit::Stack;

/// `linear_backward(self, grad_output, weight, bool[3] output_mask)`
void linearBackward(Stack& stack) {
  const at::Tensor input = stack[0].toTensor();
  const at::Tensor gradient = stack[1].toTensor();
  const at::Tensor weight = stack[2].toTensor();
  const auto wanted = stack[3].toBoolList();
  const at::Tensor rows = gradient.reshape({-1, gradient.size(-1)});
  std::array<at::Tensor, 3> gradients;
  if (wanted[0]) gradients[0] = at::matmul(gradient, weight);
  if (wanted[1]) gradients[1] = at::mm(rows.t(), input.reshape({-1, input.size(-1)}));
  if (wanted[2]) gradients[2] = at::sum(rows, 0);
  stack.assign(gradients.begin(), gradients.end());
}

at::Tensor optionalTensor(const c10::IValue& value) {
  return value.isTensor() ? value.toTensor() : at::Tensor();
}

/// `_scaled_dot_product_attention_math_for_mps(query, key, value, attn_mask, dropout_p, is_causal,
/// dropout_mask, *, scale)`
void attention(Stack& stack) {
  const at::Tensor mask = optionalTensor(stack[3]);
  const at::Tensor dropout = optionalTensor(stack[6]);
  const auto [result, weights] = at::_scaled_dot_product_attention_math(
      stack[0].toTensor(), stack[1].toTensor(), stack[2].toTensor(),
      mask.defined() ? std::optional(mask) : std::nullopt, stack[4].toDouble(), stack[5].toBool(),
      dropout.defined() ? std::optional(dropout) : std::nullopt, stack[7].toOptional<double>(),
      /*enable_gqa=*/stack[0].toTensor().size(-3) != stack[1].toTensor().size(-3));
  stack.assign({result, weights});
}

/// `log_sigmoid_backward(grad_output, self, buffer)`: the buffer is made by the CPU's forward, and is empty
/// on other devices.
void makeLogSigmoidBuffer(Stack& stack) {
  stack[2] = std::get<1>(at::log_sigmoid_forward(stack[1].toTensor()));
}

/// Functions that make arguments which only the CPU's kernel needs.
const std::map<std::string_view, void (*)(Stack&)> kPreparations = {
    {"aten::log_sigmoid_backward", makeLogSigmoidBuffer},
};

const std::map<std::string_view, void (*)(Stack&)> kStandIns = {
    {"aten::linear_backward", linearBackward},
    {"aten::_scaled_dot_product_attention_math_for_mps", attention},
};

}  // namespace

void callOrStandIn(const c10::OperatorHandle& op, Stack& stack) {
  const auto prepared = kPreparations.find(op.operator_name().name);
  if (prepared != kPreparations.end()) prepared->second(stack);
  const auto found = kStandIns.find(op.operator_name().name);
  if (found == kStandIns.end() || op.hasKernelForDispatchKey(c10::DispatchKey::CPU))
    return op.callBoxed(&stack);
  found->second(stack);
}

}  // namespace mpslab::shadow
