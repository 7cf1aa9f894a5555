// A wrong result, with what tells another person how it came about.
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
  /// As they were before the call: the tensors of the device, and the elements on the CPU.
  std::vector<c10::IValue> given;
  std::shared_ptr<const HostArguments> arguments;
  Difference difference;
  /// The user's lines of the stack; empty where there is none.
  std::string stack;
  /// The node of the backward that called the operator: `ConvolutionBackward0`; empty in a forward.
  std::string node;
};

/// Plain data; tensors of the arguments as `{ tensor, dtype, shape, strides, offset, start }`, where `tensor`
/// has the elements that the argument sees, from element `start` of its memory on.
Napi::Object toJavaScript(Environment& environment, const Finding& finding);

}  // namespace mpslab::shadow
