// Watches a step that runs as ever, and writes down its program.
#pragma once
#include <ATen/record_function.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "addon/environment.h"
#include "capture/program.h"

namespace mpslab::capture {

/// What a step did otherwise than the program that it was compared with.
struct Difference {
  /// Ends a sentence that begins with "the step": `calls mul with other = 1, and called it with other = 0.1`.
  std::string text;
  /// The user's line, empty where none is known.
  std::string place;
};

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
  const std::optional<Difference>& difference() const { return difference_; }

  /// Operators in a pause are no part of the step.
  void pause(bool paused) { insideCall_ = paused; }

  /// Ends the recording. `results`: the tensors that the step gave.
  Program finish(const std::vector<at::Tensor>& results);

 private:
  struct Known {
    c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
    Slot slot;
  };
  struct KnownStorage {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    std::vector<Slot> slots;
  };
  /// The call of an operator that has begun and not ended.
  struct Call;

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function);
  static void end(const at::RecordFunction& function, at::ObserverContext* context);

  std::unique_ptr<at::ObserverContext> beginCall(const at::RecordFunction& function);
  void endCall(const at::RecordFunction& function, Call& call);
  bool isTakenApart(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments) const;

  Argument argumentOf(const c10::IValue& value);
  Slot slotOf(const at::Tensor& tensor);
  Slot aliasOf(const at::Tensor& tensor);
  Slot addSlot(const at::Tensor& tensor, Source source);
  bool isKept(Slot slot) const;
  void addView(Slot base, const at::Tensor& view);
  void addInstruction(Instruction instruction);
  bool copiesBetweenKinds(const Call& call, const std::vector<at::Tensor>& results);
  void noteThere(const at::Tensor& tensor);
  void noteWrites(const Call& call);
  void noteGradientsBefore();
  void noteGradientsAfter();
  void noteLastUses();

  void compareSource(Slot slot);
  void compareInstruction();
  void differ(const std::string& text);

  Environment& environment_;
  const Program* expected_;
  const bool isFirst_;
  Program program_;
  std::optional<Difference> difference_;
  std::unordered_map<const at::TensorImpl*, Known> known_;
  std::unordered_map<const c10::StorageImpl*, KnownStorage> storages_;
  /// The tensors that JavaScript had when the step began. Held weakly, so that no other gets the address of
  /// one.
  std::unordered_map<const at::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> there_;
  /// The leaves that had a gradient then, by it.
  std::unordered_map<const at::TensorImpl*, at::Tensor> leavesByGradient_;
  /// The gradient of each leaf then, nullptr for none.
  std::unordered_map<const at::TensorImpl*, const at::TensorImpl*> gradientsBefore_;
  std::unordered_set<Slot> writtenSlots_;
  bool insideCall_ = false;
  at::CallbackHandle callback_ = 0;
};

}  // namespace mpslab::capture
