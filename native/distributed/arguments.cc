// Implements the functions that read arguments.
#include "distributed/arguments.h"

#include "tensor/tensor.h"

namespace mpslab {

std::vector<at::Tensor> tensorsArgument(Environment& environment, Napi::Value list) {
  const auto given = list.As<Napi::Array>();
  std::vector<at::Tensor> tensors;
  tensors.reserve(given.Length());
  for (uint32_t i = 0; i < given.Length(); ++i)
    tensors.push_back(tensorOf(environment, Napi::Value(given.Get(i)), "an element"));
  return tensors;
}

std::vector<int64_t> integersArgument(Napi::Value list) {
  const auto given = list.As<Napi::Array>();
  std::vector<int64_t> integers;
  integers.reserve(given.Length());
  for (uint32_t i = 0; i < given.Length(); ++i)
    integers.push_back(Napi::Value(given.Get(i)).ToNumber().Int64Value());
  return integers;
}

std::vector<std::string> textsArgument(Napi::Value list) {
  const auto given = list.As<Napi::Array>();
  std::vector<std::string> texts;
  texts.reserve(given.Length());
  for (uint32_t i = 0; i < given.Length(); ++i) texts.push_back(Napi::Value(given.Get(i)).ToString());
  return texts;
}

std::chrono::milliseconds millisecondsArgument(Napi::Value value) {
  return std::chrono::milliseconds(value.ToNumber().Int64Value());
}

}  // namespace mpslab
