// Compares each leaf's gradient after the step with the one before. A replay sets the gradients that changed.
#include "capture/leaf_gradients.h"

#include "addon/capture_notes.h"

namespace mpslab::capture {
namespace {

bool isLeafWithGradient(const at::Tensor& tensor) { return tensor.requires_grad() && tensor.is_leaf(); }

}  // namespace

LeafGradients::LeafGradients(Environment& environment, KnownTensors& known)
    : environment_(environment), known_(known) {
  environment_.pool.forEachLive([&](const Handle& handle) {
    const at::Tensor& tensor = handle.tensor;
    if (!isLeafWithGradient(tensor)) return;
    const at::Tensor& gradient = tensor.grad();
    if (gradient.defined()) known_.noteGradient(gradient, tensor);
    before_.emplace(tensor.unsafeGetTensorImpl(),
                    gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr);
  });
}

void LeafGradients::finish(Program& program, const std::unordered_set<Slot>& written) {
  const auto& replaced = environment_.capture->replacedGradients;
  std::unordered_map<const at::TensorImpl*, at::Tensor> leaves;
  environment_.pool.forEachLive([&](const Handle& handle) {
    if (isLeafWithGradient(handle.tensor))
      leaves.try_emplace(handle.tensor.unsafeGetTensorImpl(), handle.tensor);
  });
  for (const auto& [impl, leaf] : leaves) {
    const auto before = before_.find(impl);
    // The step made this leaf.
    if (before == before_.end()) continue;
    const at::TensorImpl* was = before->second;
    const at::Tensor& gradient = leaf.grad();
    const bool changed = (gradient.defined() ? gradient.unsafeGetTensorImpl() : nullptr) != was;
    const auto replacement = replaced.find(impl);
    // The earlier gradient does not matter if the step replaced it before adding to it.
    const bool replacedFirst = replacement != replaced.end() && replacement->second == was;
    const Slot slotBefore = was == nullptr ? kNothing : known_.find(was);
    const bool added = slotBefore != kNothing && written.contains(slotBefore);
    if (!changed && !added && replacement == replaced.end()) continue;
    const Slot slot = known_.find(impl);
    if (slot != kNothing && program.sources[static_cast<size_t>(slot)].kind == Source::Kind::Input) {
      environment_.capture->refusal =
          "the step leaves a gradient on its argument, and the next call may have another: take it with "
          "autograd.grad() and return it.";
    }
    program.gradients.push_back(
        {leaf, !replacedFirst, was != nullptr, gradient.defined() ? known_.slotOf(gradient) : kNothing});
  }
}

}  // namespace mpslab::capture
