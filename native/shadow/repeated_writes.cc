// Counts how often each element is written, with the same operator: it adds ones to zeros.
#include "shadow/repeated_writes.h"

#include <ATen/ops/index_add.h>
#include <ATen/ops/index_put.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/put.h>
#include <ATen/ops/scatter_add.h>
#include <ATen/ops/zeros.h>

#include <map>
#include <string_view>

#include "shadow/operator_rules.h"

namespace mpslab::shadow {
namespace {

using torch::jit::Stack;

at::Tensor onesLike(const at::Tensor& index) { return at::ones(index.sizes(), at::kLong); }

/// `index_put(self, indices, values, accumulate)`
at::Tensor countIndexPut(const Stack& stack) {
  if (stack[3].toBool()) return {};
  c10::List<std::optional<at::Tensor>> indices;
  for (const c10::IValue& index : stack[1].toListRef())
    indices.push_back(index.isTensor() ? std::optional(index.toTensor()) : std::nullopt);
  return at::zeros(stack[0].toTensor().sizes(), at::kLong)
      .index_put(indices, at::ones({}, at::kLong), /*accumulate=*/true);
}

/// `scatter(self, dim, index, src)`. If `src` is a number, all writes are the same.
at::Tensor countScatter(const Stack& stack) {
  if (!stack[3].isTensor()) return {};
  const at::Tensor index = stack[2].toTensor();
  return at::zeros(stack[0].toTensor().sizes(), at::kLong)
      .scatter_add(stack[1].toInt(), index, onesLike(index));
}

/// `index_copy(self, dim, index, source)`
at::Tensor countIndexCopy(const Stack& stack) {
  const at::Tensor self = stack[0].toTensor(), index = stack[2].toTensor().reshape(-1);
  const int64_t size = self.dim() == 0 ? 1 : self.size(stack[1].toInt());
  return at::zeros({size}, at::kLong).index_add(0, index, onesLike(index));
}

/// `put(self, index, source, accumulate)`
at::Tensor countPut(const Stack& stack) {
  if (stack[3].toBool()) return {};
  const at::Tensor index = stack[1].toTensor();
  return at::zeros(stack[0].toTensor().sizes(), at::kLong).put(index, onesLike(index), /*accumulate=*/true);
}

/// The functions return an undefined tensor if the number of writes does not matter.
const std::map<std::string_view, at::Tensor (*)(const Stack&)> kCounts = {
    {"_index_put_impl", countIndexPut},
    {"_unsafe_index_put", countIndexPut},
    {"index_copy", countIndexCopy},
    {"index_put", countIndexPut},
    {"put", countPut},
    {"scatter", countScatter},
};

}  // namespace

bool writesRepeatedly(const c10::OperatorHandle& op, const HostArguments& arguments) {
  const auto found = kCounts.find(baseName(op));
  if (found == kCounts.end()) return false;
  const at::Tensor count = found->second(arguments.stack());
  return count.defined() && count.numel() > 0 && count.max().item<int64_t>() > 1;
}

}  // namespace mpslab::shadow
