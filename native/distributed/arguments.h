// Reads arguments that `lib/torch/distributed` has checked: lists of tensors and numbers, milliseconds.
#pragma once
#include <ATen/core/Tensor.h>
#include <napi.h>

#include <chrono>
#include <string>
#include <vector>

#include "addon/environment.h"

namespace mpslab {

std::vector<at::Tensor> tensorsArgument(Environment& environment, Napi::Value list);
std::vector<int64_t> integersArgument(Napi::Value list);
std::vector<std::string> textsArgument(Napi::Value list);
std::chrono::milliseconds millisecondsArgument(Napi::Value value);

}  // namespace mpslab
