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
  /// The number of comparisons, including those that failed after the arguments were copied.
  uint64_t tried = 0;
  /// What the last comparison took.
  double costMs = 0;
  /// What all comparisons took together.
  double spentMs = 0;
  /// How many calls to skip, at random, so that the comparison is not always of the same layer.
  uint64_t skip = 0;
  /// Why the latest call that could not be compared was left out; empty if there was none.
  std::string leftOut;
};

class Sampling {
 public:
  using Clock = std::chrono::steady_clock;

  /// `share` is the part of the time from now on that may be used; nothing compares every call.
  Sampling(std::optional<double> share, uint64_t seed);

  /// Returns the kind of a call, and counts the call.
  CallKind& kindOf(const c10::OperatorHandle& op, Values arguments);

  /// The first call of a kind is always compared.
  bool chooses(CallKind& kind);

  /// Adds the time of a comparison, whether it succeeded or not.
  void spent(CallKind& kind, double ms, bool isCompared);

  double spentMs() const { return spentMs_; }
  double elapsedMs() const;
  /// The kinds, in no particular order.
  std::vector<const CallKind*> kinds() const;

 private:
  std::optional<double> share_;
  std::mt19937_64 generator_;
  Clock::time_point began_ = Clock::now();
  double spentMs_ = 0;
  std::unordered_map<uint64_t, CallKind> kinds_;
};

}  // namespace mpslab::shadow
