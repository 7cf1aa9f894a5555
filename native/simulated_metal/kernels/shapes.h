// Finds the shapes of an operator's results before the device runs it: from libtorch's Meta kernel, or from a
// trial on the host with zeros of the same shapes.
#pragma once
#include <optional>

#include "simulated_metal/kernels/signature.h"

namespace mpslab::metal {

/// Returns the shapes by libtorch's Meta kernel, for an operator that has one. Throws what the operator would
/// throw for arguments that do not fit.
Shapes shapesByMeta(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// Returns the shapes that the host's kernel makes of zeros. Returns nothing if the elements may matter, if
/// the kernel refuses zeros as it refuses wrong shapes, or if the zeros would take much memory.
std::optional<Shapes> shapesByTrial(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments);

/// The shapes of the results on a stack that are new or `out=`.
Shapes shapesOf(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> results);

}  // namespace mpslab::metal
