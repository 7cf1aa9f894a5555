// Chooses the overload of an operator that fits a call's arguments, and says what is wrong if none fits.
#pragma once
#include <c10/util/SmallVector.h>

#include <string>
#include <utility>

#include "call/schema.h"
#include "tensor/value.h"

namespace mpslab {

/// A call's arguments: the positional ones, and those that a final options object names.
struct Arguments {
  c10::SmallVector<Value, 8> positional;
  c10::SmallVector<std::pair<std::string, Value>, 2> named;
  /// An options object without options. It may be a tensor that another thread sent, which arrives as an
  /// empty object.
  napi_value emptyOptions = nullptr;
};

/// The values of the parameters; nullptr for a parameter that takes its default.
struct Binding {
  c10::SmallVector<const Value*, 12> values;
  /// Elements of `out: [values, indices]`.
  c10::SmallVector<Value, 4> outs;
  /// The option `requiresGrad`, which factories take beside the schema's parameters; nullptr if it was not
  /// given.
  const Value* requiresGrad = nullptr;
};

/// Returns the first overload that fits, and fills `binding`. Returns nullptr if none fits.
const Overload* tryResolve(Environment& environment, const Operator& op, const Arguments& arguments,
                           Binding& binding);

/// The same, but throws TypeError if none fits.
const Overload& resolve(Environment& environment, const Operator& op, const Arguments& arguments,
                        Binding& binding);

/// Describes the tensors of a call for messages, `self float32 [3], other float32 [4]`, or the sizes if there
/// are no tensors.
std::string describeArguments(Environment& environment, const Overload& overload, const Binding& binding);

/// The schema as a JavaScript user calls it: `add(self, other, { alpha?, out })`; of several results,
/// `{ out: [values, indices] }`.
std::string signature(const Operator& op, const Overload& overload);

}  // namespace mpslab
