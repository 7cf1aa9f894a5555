// What is known of an operator's results before the device has run it: libtorch's Meta kernel says it, or,
// where there is none, a trial on the host with zeros of the same shapes. Knows no memory of the device.
#pragma once
#include <optional>

#include "simulated_metal/kernels/signature.h"

namespace mpslab::metal {

/// What libtorch's Meta kernel says, for an operator that has one. Throws what the operator would throw for
/// arguments that do not fit.
Shapes shapesByMeta(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// What the host's kernel makes of zeros. Nothing where the elements may matter, where zeros are refused, as
/// wrong shapes are, and where they would take much memory.
std::optional<Shapes> shapesByTrial(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// Of the results on a stack that are new or `out=`.
Shapes shapesOf(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> results);

}  // namespace mpslab::metal
