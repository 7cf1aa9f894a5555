// Chooses which calls are compared, within a share of the loop's time. Every kind of call has an equal part
// of it, so that one cheap operator does not take what a dear and rare one needs.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "shadow/host_arguments.h"

namespace mpslab::shadow {

/// Calls of one operator whose tensors have like dtypes, sizes and strides.
struct CallKind {
  std::optional<c10::OperatorHandle> op;
  uint64_t seen = 0;
  uint64_t compared = 0;
  /// Those that were compared, and those whose comparison failed after the arguments were copied.
  uint64_t tried = 0;
  /// What the last comparison took.
  double costMs = 0;
  /// What all comparisons took together.
  double spentMs = 0;
  /// Calls to let pass, so that it is not always the same layer's.
  uint64_t skip = 0;
  /// Why one of its calls, the latest such, was not compared; empty where there was none.
  std::string leftOut;
};

class Sampling {
 public:
  using Clock = std::chrono::steady_clock;

  /// `share` of the time since then; nothing for every call.
  Sampling(std::optional<double> share, uint64_t seed);

  /// The kind of a call, which counts it.
  CallKind& kindOf(const c10::OperatorHandle& op, Values arguments);

  /// The first call of a kind is always compared.
  bool chooses(CallKind& kind);

  /// What a try took, whether it ended in a comparison or not.
  void spent(CallKind& kind, double ms, bool isCompared);

  double spentMs() const { return spentMs_; }
  double elapsedMs() const;
  /// In no order.
  std::vector<const CallKind*> kinds() const;

 private:
  std::optional<double> share_;
  std::mt19937_64 generator_;
  Clock::time_point began_ = Clock::now();
  double spentMs_ = 0;
  std::unordered_map<uint64_t, CallKind> kinds_;
};

}  // namespace mpslab::shadow
