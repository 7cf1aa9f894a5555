// Runs a program again, without JavaScript and below autograd.
#pragma once
#include <ATen/core/stack.h>

#include <memory>

#include "addon/environment.h"
#include "capture/program.h"

namespace mpslab::capture {

class Replay {
 public:
  Replay(Environment& environment, Program program);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  const Program& program() const { return program_; }

  /// Whether the arguments, the gradients and the mode are as they were when the program was recorded. Throws if a
  /// tensor that the program needs was disposed of.
  bool fits(Environment& environment, const std::vector<at::Tensor>& inputs) const;

  /// Returns the results. The gradients of the leaves are set.
  std::vector<at::Tensor> run(Environment& environment, const std::vector<at::Tensor>& inputs);

  /// Changes a number that an operator is called with, such as a learning rate.
  void setNumber(size_t instruction, const std::string& name, double value);

 private:
  struct KeptTensor {
    Slot slot;
    const c10::StorageImpl* storage;
  };

  void prepareArguments();
  bool isFixed(Slot slot) const;
  void bind(const std::vector<at::Tensor>& inputs);
  void execute(Environment& environment, const Instruction& instruction);
  void call(Environment& environment, const Instruction& instruction);
  void take(const Instruction& instruction);
  void view(const Instruction& instruction);
  c10::IValue valueOf(const Argument& argument) const;

  Program program_;
  std::vector<at::Tensor> values_;
  std::vector<KeptTensor> kept_;
  std::shared_ptr<CapturedTensors> needed_;
  torch::jit::Stack stack_;
};

}  // namespace mpslab::capture
