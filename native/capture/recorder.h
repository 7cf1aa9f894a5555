// Watches a step that runs as ever, and writes down its program.
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

/// An observer of libtorch's `RecordFunction` sees every operator, those of a backward too. It keeps the
/// outermost ones that have a kernel: composite operators are taken apart, and what a kernel calls is its own
/// affair.
class Recorder {
 public:
  /// `expected`: a program to compare with, or nullptr. `isFirst`: the first call of a step may make state.
  Recorder(Environment& environment, const std::vector<at::Tensor>& inputs, const Program* expected,
           bool isFirst);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The program as far as it is known.
  const Program& program() const { return program_; }
  const std::optional<Difference>& difference() const { return comparison_.difference(); }

  /// Operators in a pause are no part of the step.
  void pause(bool paused) { insideCall_ = paused; }

  /// Ends the recording. `results`: the tensors that the step gave.
  Program finish(const std::vector<at::Tensor>& results);

 private:
  /// The call of an operator that has begun and not ended.
  struct Call;

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
  static void end(const at::RecordFunction& function, at::ObserverContext* context);

  std::unique_ptr<Call> beginCall(const at::RecordFunction& function);
  void endCall(const at::RecordFunction& function, Call& call);
  Argument argumentOf(const c10::IValue& value);
  /// Whether autograd keeps so what the call that goes on is about to overwrite.
  bool keepsOverwritten(const at::RecordFunction& function) const;
  void noteWrites(const Call& call);
  void refuseDisposals();
  bool copiesBetweenKinds(const Call& call, const std::vector<at::Tensor>& results);
  /// Refuses the step where `record` throws.
  template <typename Part>
  void orRefuse(Part&& record);
  /// The first reason counts.
  void refuse(const std::string& reason);

  Environment& environment_;
  const bool isFirst_;
  Program program_;
  KnownTensors known_;
  LeafGradients gradients_;
  Comparison comparison_;
  std::unordered_set<Slot> writtenSlots_;
  bool insideCall_ = false;
  /// The call that goes on, which is recorded; nullptr between calls and in a pause.
  const Call* outermost_ = nullptr;
  at::CallbackHandle callback_ = 0;
};

}  // namespace mpslab::capture
