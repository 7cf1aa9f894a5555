// Converts JavaScript values to the dispatcher's IValues by the schema's types, and back.
#pragma once
#include <c10/util/SmallVector.h>

#include "call/schema.h"
#include "tensor/value.h"

namespace mpslab {

/// Whether a value is of a parameter's kind. Ranges are not looked at: a fraction fits an integer here, so
/// that the message can be about the fraction.
bool fits(Environment& environment, const Value& value, const Parameter& parameter);

/// Converts a value that fits. Messages begin with `where` (`add`). Throws RangeError for NaN, infinities and
/// fractions if the parameter is an integer, UseAfterDisposeError for disposed tensors.
c10::IValue toIValue(Environment& environment, const Value& value, const Parameter& parameter,
                     const std::string& where);

using Integers = c10::SmallVector<int64_t, 8>;

/// The same for a list of integers, without boxing it.
Integers toIntegers(Environment& environment, const Value& value, const Parameter& parameter,
                    const std::string& where);

using Tensors = c10::SmallVector<at::Tensor, 4>;

/// The same for a list of tensors.
Tensors toTensors(Environment& environment, const Value& value, const Parameter& parameter,
                  const std::string& where);

/// `shell` is an object of the wrapper class that becomes the wrapper of a single tensor; nullptr if the
/// caller made none.
napi_value toJavaScript(Environment& environment, c10::IValue&& value, const Result& result,
                        napi_value shell);

/// Describes in words what a parameter takes: `a Tensor`, `an integer or an array of integers`.
std::string expectation(const Parameter& parameter);

}  // namespace mpslab
