// Observes a step while it runs, and writes down its program.
#pragma once
#include <ATen/record_function.h>

#include <memory>
#include <unordered_set>

#include "addon/environment.h"
#include "capture/comparison.h"
#include "capture/known_tensors.h"
#include "capture/leaf_gradients.h"
#include "capture/program.h"

namespace mpslab::capture {

/// An observer of libtorch's `RecordFunction` sees every operator, also those of a backward. The recorder
/// keeps the outermost operators that have a kernel: it goes into composite operators, but not into what a
/// kernel calls.
class Recorder {
 public:
  /// `expected`: a program to compare with, or nullptr. `isFirst`: the first call of a step may make state.
  Recorder(Environment& environment, const std::vector<at::Tensor>& inputs, const Program* expected,
           bool isFirst);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// What was recorded so far.
  const Program& program() const { return program_; }
  const std::optional<Difference>& difference() const { return comparison_.difference(); }

  /// Operators that run during a pause are not part of the step.
  void pause(bool paused) { insideCall_ = paused; }

  /// Ends the recording. `results`: the tensors that the step gave.
  Program finish(const std::vector<at::Tensor>& results);

 private:
  /// An operator's call that has begun and not yet ended.
  struct Call;

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
  static void end(const at::RecordFunction& function, at::ObserverContext* context);

  std::unique_ptr<Call> beginCall(const at::RecordFunction& function);
  void endCall(const at::RecordFunction& function, Call& call);
  Argument argumentOf(const c10::IValue& value);
  /// Whether this is a clone with which autograd saves what the running call is about to overwrite.
  bool keepsOverwritten(const at::RecordFunction& function) const;
  void noteWrites(const Call& call);
  void refuseDisposals();
  bool copiesBetweenKinds(const Call& call, const std::vector<at::Tensor>& results);
  /// Calls `record`; if it throws, refuses the step.
  template <typename Part>
  void orRefuse(Part&& record);
  /// Only the first reason is kept.
  void refuse(const std::string& reason);

  Environment& environment_;
  const bool isFirst_;
  Program program_;
  KnownTensors known_;
  LeafGradients gradients_;
  Comparison comparison_;
  std::unordered_set<Slot> writtenSlots_;
  bool insideCall_ = false;
  /// The running call that is being recorded; nullptr between calls and during a pause.
  const Call* outermost_ = nullptr;
  at::CallbackHandle callback_ = 0;
};

}  // namespace mpslab::capture
