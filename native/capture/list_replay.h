// Runs a program operator by operator, without JavaScript and below autograd: on the CPU and on Metal.
#pragma once
#include <ATen/core/stack.h>

#include "capture/step.h"

namespace mpslab::capture {

class ListReplay : public Step {
 public:
  ListReplay(Environment& environment, Program program);

  std::vector<at::Tensor> run(Environment& environment, const std::vector<at::Tensor>& inputs) override;

 private:
  /// Calls forget() in its destructor.
  struct Forgetting {
    explicit Forgetting(ListReplay& replay) : replay(replay) {}
    ~Forgetting() { replay.forget(); }
    Forgetting(const Forgetting&) = delete;
    Forgetting& operator=(const Forgetting&) = delete;
    ListReplay& replay;
  };

  void prepareArguments();
  void forget();
  void bind(const std::vector<at::Tensor>& inputs);
  void execute(Environment& environment, const Instruction& instruction);
  void call(const Instruction& instruction);
  void take(const Instruction& instruction);
  void view(const Instruction& instruction);
  c10::IValue valueOf(const Argument& argument) const;

  std::vector<at::Tensor> values_;
  torch::jit::Stack stack_;
};

}  // namespace mpslab::capture
