// Facts about an operator's results that need no look at them: which results must be equal on all devices,
// which are not determined, and from how many numbers an element is summed up.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "shadow/host_arguments.h"

namespace mpslab::shadow {

/// The name without `aten::`, without the overload, and without the underscore of an in-place operator:
/// `copy` for `copy_`.
std::string_view baseName(const c10::OperatorHandle& op);

/// Why a call's results may differ between devices; empty if they must not.
std::string undetermined(const c10::OperatorHandle& op, Values arguments);

/// Whether the arguments alone determine that result, whatever the device.
bool isDetermined(const c10::OperatorHandle& op, size_t place);

/// Whether results are unchanged elements of arguments, which were copied, selected or reordered.
bool isExact(const c10::OperatorHandle& op);

/// Whether the results after the first are positions of its elements. Equal elements have several positions
/// to choose from.
bool givesPositions(const c10::OperatorHandle& op);

/// The rounding that a device applies to float32 arguments before it multiplies them, 0 if it applies none.
/// The tensor cores of an NVIDIA GPU read ten bits (TF32); convolutions use them by default.
double argumentRounding(const c10::OperatorHandle& op, at::Device device);

/// How many numbers are summed up, one after the other, for one element of a result.
int64_t termsOf(const c10::OperatorHandle& op, Values arguments);

}  // namespace mpslab::shadow
