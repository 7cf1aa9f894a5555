// A step that was captured: its program, and whether it can run again as things are.
#pragma once
#include <memory>
#include <string>

#include "addon/environment.h"
#include "capture/program.h"

namespace mpslab::capture {

class Step {
 public:
  Step(Environment& environment, Program program);
  virtual ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  const Program& program() const { return program_; }

  /// Whether the arguments, the leaves, the gradients and the mode are as they were when the program was
  /// recorded. Throws if a tensor that the program needs was disposed of.
  virtual bool fits(Environment& environment, const std::vector<at::Tensor>& inputs) const;

  /// Returns the results, and sets the gradients of the leaves.
  virtual std::vector<at::Tensor> run(Environment& environment, const std::vector<at::Tensor>& inputs) = 0;

  /// Changes a number, such as a learning rate, of the first operator at or after `instruction` that takes
  /// it. The instructions before that operator may be views of its arguments.
  virtual void setNumber(size_t instruction, const std::string& name, double value);

 protected:
  /// Whether the arguments share memory as they did in the capture, or the difference does not matter.
  virtual bool sharesMemoryAsCaptured(Environment& environment, const std::vector<at::Tensor>& inputs) const;
  /// Whether a slot has the same tensor in each run.
  bool isFixed(Slot slot) const;

  Program program_;

 private:
  struct KeptTensor {
    Slot slot;
    const c10::StorageImpl* storage;
    const void* data;
  };

  /// The tensor that a slot has at the beginning of a call.
  const at::Tensor& tensorNow(Slot slot, const std::vector<at::Tensor>& inputs) const;
  /// Whether the gradients that the step reads have their geometry of the capture, and shared tensors still
  /// share memory.
  bool liesAsCaptured(const std::vector<at::Tensor>& inputs) const;

  std::vector<KeptTensor> kept_;
  std::vector<Slot> readGradients_;
  std::shared_ptr<CapturedTensors> needed_;
};

}  // namespace mpslab::capture
