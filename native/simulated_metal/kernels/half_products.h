// Multiplies half-precision matrices with float32's kernels: products are summed in float32 and rounded once.
//
// libtorch's CPU kernels for halves do so too. But on a processor without instructions for halves they take
// twelve times as long as float32's, and a lesson about float16 would take minutes.
#pragma once
#include <ATen/core/stack.h>

#include "simulated_metal/kernels/operator_plan.h"

namespace mpslab::metal {

/// Whether the operator multiplies matrices, and these are float16 or bfloat16.
bool multipliesHalves(const OperatorPlan& plan, const torch::jit::Stack& stack);

/// Calls the CPU's kernel with float32 copies. `stack` holds the CPU's views of the arguments, and the
/// results after it, in the dtype of the arguments.
void multiplyInFloat32(const OperatorPlan& plan, torch::jit::Stack& stack);

}  // namespace mpslab::metal
