// Compares the arguments and the tensors that a step needs with those of its capture.
#include "capture/step.h"

#include "addon/errors.h"

namespace mpslab::capture {

Step::Step(Environment& environment, Program program)
    : program_(std::move(program)), needed_(environment.capturedTensors) {
  for (size_t i = 0; i < program_.sources.size(); ++i) {
    const Source& source = program_.sources[i];
    if (source.kind == Source::Kind::Kept && source.tensor.has_storage())
      kept_.push_back({static_cast<Slot>(i), source.tensor.storage().unsafeGetStorageImpl(),
                       source.tensor.storage().data()});
    if (source.kind == Source::Kind::Gradient) readGradients_.push_back(static_cast<Slot>(i));
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

bool Step::sharesMemoryAsCaptured(Environment&, const std::vector<at::Tensor>& inputs) const {
  return aliasesOf(inputs) == program_.aliases;
}

const at::Tensor& Step::tensorNow(Slot slot, const std::vector<at::Tensor>& inputs) const {
  const Source& source = program_.sources[static_cast<size_t>(slot)];
  if (source.kind == Source::Kind::Input) return inputs[source.input];
  return source.kind == Source::Kind::Gradient ? source.tensor.grad() : source.tensor;
}

bool Step::liesAsCaptured(const std::vector<at::Tensor>& inputs) const {
  for (const Slot slot : readGradients_) {
    const at::Tensor& gradient = tensorNow(slot, inputs);
    if (!gradient.defined() || gradient.layout() != at::kStrided ||
        !liesAs(gradient, program_.sources[static_cast<size_t>(slot)].geometry))
      return false;
  }
  return std::all_of(program_.shared.begin(), program_.shared.end(), [&](const Shared& shared) {
    const at::Tensor& now = shared.isGradient ? shared.tensor.grad() : shared.tensor;
    return now.defined() && liesAs(now, shared.geometry) &&
           now.storage().is_alias_of(tensorNow(shared.slot, inputs).storage());
  });
}

bool Step::fits(Environment& environment, const std::vector<at::Tensor>& inputs) const {
  if (inputs.size() != program_.inputs.size() || !(Mode::here(program_.device.type()) == program_.mode))
    return false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!(GradientFlags::of(inputs[i]) == program_.inputFlags[i]) || inputs[i].layout() != at::kStrided ||
        !liesAs(inputs[i], program_.inputs[i]))
      return false;
  }
  if (inputs.size() > 1 && !sharesMemoryAsCaptured(environment, inputs)) return false;
  if (!needed_->disposed.empty()) {
    for (const Source& source : program_.sources) {
      if (source.original == nullptr || !needed_->disposed.contains(source.original)) continue;
      throwError(environment, ErrorClass::UseAfterDispose,
                 "torch.capture: the step uses a " + describe(source.geometry) +
                     " that was disposed since it was captured: keep it, or pass it as an argument.");
    }
  }
  for (const KeptTensor& kept : kept_) {
    const Source& source = program_.sources[static_cast<size_t>(kept.slot)];
    const c10::Storage& storage = source.tensor.storage();
    if (storage.unsafeGetStorageImpl() != kept.storage || storage.data() != kept.data ||
        !liesAs(source.tensor, source.geometry))
      return false;
  }
  for (const Leaf& leaf : program_.leaves) {
    if (!(GradientFlags::of(leaf.tensor) == leaf.flags)) return false;
  }
  if (!liesAsCaptured(inputs)) return false;
  return std::all_of(program_.gradients.begin(), program_.gradients.end(), [](const LeafGradient& gradient) {
    return !gradient.matters || gradient.leaf.grad().defined() == gradient.wasDefined;
  });
}

void Step::setNumber(size_t instruction, const std::string& name, double value) {
  for (; instruction < program_.instructions.size(); ++instruction) {
    Instruction& changed = program_.instructions[instruction];
    if (!changed.op) continue;
    const auto place = changed.op->schema().argumentIndexWithName(name);
    if (!place) continue;
    changed.arguments[static_cast<size_t>(*place)].value = c10::IValue(value);
    return;
  }
}

}  // namespace mpslab::capture
