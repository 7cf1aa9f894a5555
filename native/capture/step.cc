// Compares the arguments and the tensors that a step needs with those of its capture.
#include "capture/step.h"

#include "addon/errors.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::capture {

Step::Step(Environment& environment, Program program)
    : program_(std::move(program)), needed_(environment.capturedTensors) {
  for (size_t i = 0; i < program_.sources.size(); ++i) {
    const Source& source = program_.sources[i];
    if (source.kind == Source::Kind::Kept && source.tensor.has_storage())
      kept_.push_back({static_cast<Slot>(i), source.tensor.storage().unsafeGetStorageImpl()});
    if (source.original != nullptr) needed_->need(source.original);
  }
}

Step::~Step() {
  for (const Source& source : program_.sources) {
    if (source.original != nullptr) needed_->release(source.original);
  }
}

bool Step::isFixed(Slot slot) const {
  if (slot == kNothing) return true;
  const Source::Kind kind = program_.sources[static_cast<size_t>(slot)].kind;
  return kind == Source::Kind::Kept || kind == Source::Kind::Constant;
}

bool Step::fits(Environment& environment, const std::vector<at::Tensor>& inputs) const {
  if (inputs.size() != program_.inputs.size() || !(Mode::here(program_.device.type()) == program_.mode))
    return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].requires_grad() != program_.inputsRequireGrad[i] || inputs[i].layout() != at::kStrided ||
        !(Geometry::of(inputs[i]) == program_.inputs[i]))
      return false;
  }
  if (inputs.size() > 1 && aliasesOf(inputs) != program_.aliases) return false;
  if (!needed_->disposed.empty()) {
    for (const Source& source : program_.sources) {
      if (source.original == nullptr || !needed_->disposed.contains(source.original)) continue;
      throwError(environment, ErrorClass::UseAfterDispose,
                 "torch.capture: the step uses a " + describe(source.tensor) +
                     " that was disposed since it was captured: keep it, or pass it as an argument.");
    }
  }
  for (const KeptTensor& kept : kept_) {
    const Source& source = program_.sources[static_cast<size_t>(kept.slot)];
    if (source.tensor.storage().unsafeGetStorageImpl() != kept.storage ||
        !source.tensor.sizes().equals(source.geometry.sizes))
      return false;
  }
  return std::all_of(program_.gradients.begin(), program_.gradients.end(), [](const LeafGradient& gradient) {
    return !gradient.matters || gradient.leaf.grad().defined() == gradient.wasDefined;
  });
}

void Step::setNumber(size_t instruction, const std::string& name, double value) {
  Instruction& changed = program_.instructions.at(instruction);
  const auto& parameters = changed.op->schema().arguments();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name() == name) changed.arguments[i].value = c10::IValue(value);
  }
}

}  // namespace mpslab::capture
