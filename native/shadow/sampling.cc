// A kind is a hash of the operator and of its tensors' dtypes, sizes and layouts. Sizes are rounded to powers
// of two, so that sequences of many lengths make few kinds.
#include "shadow/sampling.h"

#include <c10/util/hash.h>

#include <algorithm>
#include <bit>

namespace mpslab::shadow {
namespace {

/// At most this many calls of a kind are skipped, even if the kind is called a thousand times in a step.
constexpr uint64_t kMostSkipped = 64;

size_t layoutOf(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided) return 1;
  size_t layout = tensor.is_contiguous() ? 2 : 3;
  if (tensor.dim() == 4 && tensor.is_contiguous(at::MemoryFormat::ChannelsLast)) layout += 2;
  layout = c10::hash_combine(layout, tensor.storage_offset() != 0);
  if (tensor.is_contiguous()) return layout;
  // Which dimensions are expanded, and the order of the dimensions in memory.
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) {
    layout = c10::hash_combine(layout, tensor.stride(dim) == 0);
    if (dim > 0) layout = c10::hash_combine(layout, tensor.stride(dim) < tensor.stride(dim - 1));
  }
  return layout;
}

}  // namespace

Sampling::Sampling(std::optional<double> share, uint64_t seed) : share_(share), generator_(seed) {}

CallKind& Sampling::kindOf(const c10::OperatorHandle& op, Values arguments) {
  size_t hash = std::hash<c10::OperatorName>()(op.operator_name());
  for (const c10::IValue& argument : arguments) {
    forEachTensor(argument, [&](const at::Tensor& tensor) {
      hash = c10::hash_combine(hash, static_cast<size_t>(tensor.scalar_type()));
      hash = c10::hash_combine(hash, static_cast<size_t>(tensor.dim()));
      hash = c10::hash_combine(hash, std::bit_width(static_cast<uint64_t>(tensor.numel())));
      hash = c10::hash_combine(hash, layoutOf(tensor));
    });
  }
  CallKind& kind = kinds_[hash];
  if (!kind.op) kind.op = op;
  ++kind.seen;
  return kind;
}

bool Sampling::chooses(CallKind& kind) {
  if (!share_ || kind.tried == 0) return true;
  if (kind.skip > 0) {
    --kind.skip;
    return false;
  }
  const double partMs = *share_ * elapsedMs() / static_cast<double>(kinds_.size());
  return kind.spentMs + kind.costMs <= partMs;
}

void Sampling::spent(CallKind& kind, double ms, bool isCompared) {
  ++kind.tried;
  if (isCompared) ++kind.compared;
  kind.costMs = ms;
  kind.spentMs += ms;
  spentMs_ += ms;
  kind.skip = share_ ? generator_() % std::min(kind.seen, kMostSkipped) : 0;
}

double Sampling::elapsedMs() const {
  return std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
}

std::vector<const CallKind*> Sampling::kinds() const {
  std::vector<const CallKind*> kinds;
  for (const auto& [hash, kind] : kinds_) kinds.push_back(&kind);
  return kinds;
}

}  // namespace mpslab::shadow
