// What is known of an operator's results without looking at them: which must be equal, which are not
// determined, and how many numbers a result is summed up from.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "shadow/host_arguments.h"

namespace mpslab::shadow {

/// Without `aten::`, the overload and the underscore of an in-place operator: `copy_` is `copy`.
std::string_view baseName(const c10::OperatorHandle& op);

/// Why the results of a call are not the same on every device; empty where they are.
std::string undetermined(const c10::OperatorHandle& op, Values arguments);

/// Whether the arguments alone determine that result, whatever the device.
bool isDetermined(const c10::OperatorHandle& op, size_t place);

/// Whether results are arguments' elements as they were: copied, chosen, put into another order.
bool isExact(const c10::OperatorHandle& op);

/// Whether results beside the first are positions of its elements, of which several may be equal.
bool givesPositions(const c10::OperatorHandle& op);

/// The rounding that a device makes of float32 arguments before it multiplies them; 0 where it takes them as
/// they are. The tensor cores of an NVIDIA GPU take ten bits (TF32), for convolutions unless told otherwise.
double argumentRounding(const c10::OperatorHandle& op, at::Device device);

/// How many numbers are added up for one element of a result, as one after the other.
int64_t termsOf(const c10::OperatorHandle& op, Values arguments);

}  // namespace mpslab::shadow
