// Watches a step's operators, forward and backward, and compares the sampled ones with the CPU.
#pragma once
#include <ATen/record_function.h>

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "addon/environment.h"
#include "shadow/finding.h"
#include "shadow/sampling.h"

namespace mpslab::shadow {

struct Options {
  at::Device device;
  /// The share of the loop's time that comparing may take. If it is not given, every call is compared.
  std::optional<double> share = {};
  uint64_t seed = 0;
  /// A factor for all bounds, and other factors for some operators.
  double tolerance = 1;
  std::unordered_map<std::string, double> tolerances = {};
};

/// An observer of libtorch's `RecordFunction`, as the recorder of a captured step: it sees the outermost
/// operators that have a kernel. It works with the device while an operator begins and ends, so no error may
/// leave it: libtorch would drop the error.
class Observer {
 public:
  Observer(Environment& environment, Options options);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  const Sampling& sampling() const { return sampling_; }
  const std::optional<Finding>& finding() const { return finding_; }

 private:
  struct Call;

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
  static void end(const at::RecordFunction& function, at::ObserverContext* context);

  std::unique_ptr<at::ObserverContext> beginCall(const at::RecordFunction& function);
  void copyArguments(Call& call, Values inputs);
  void endCall(const at::RecordFunction& function, Call& call);
  /// Returns why the call could not be compared; empty if it was.
  std::string compareCall(const at::RecordFunction& function, Call& call);
  double toleranceOf(const c10::OperatorHandle& op) const;

  Environment& environment_;
  const Options options_;
  Sampling sampling_;
  std::optional<Finding> finding_;
  /// The name of the running node of a backward.
  std::string node_;
  bool insideCall_ = false;
  at::CallbackHandle callback_ = 0;
};

}  // namespace mpslab::shadow
