// A wrong result, with all that another person needs to reproduce it.
#pragma once
#include <napi.h>

#include <memory>
#include <optional>
#include <string>

#include "addon/environment.h"
#include "shadow/comparison.h"
#include "shadow/host_arguments.h"

namespace mpslab::shadow {

struct Finding {
  c10::OperatorHandle op;
  /// The arguments before the call: `given` has the tensors of the device, `arguments` their elements on the
  /// CPU.
  std::vector<c10::IValue> given;
  std::shared_ptr<const HostArguments> arguments;
  Difference difference;
  /// The user's lines of the stack; empty where there is none.
  std::string stack;
  /// The node of the backward that called the operator: `ConvolutionBackward0`; empty in a forward.
  std::string node;
};

/// Returns plain data. Tensors of the arguments become `{ tensor, dtype, shape, strides, offset, start }`,
/// where `tensor` holds the elements of the argument's memory from element `start` on.
Napi::Object toJavaScript(Environment& environment, const Finding& finding);

}  // namespace mpslab::shadow
