// Copies the arguments to where the graph reads them, and the results from where it leaves them.
#include "capture/graph_replay.h"

#include "addon/errors.h"

namespace mpslab::capture {

GraphReplay::GraphReplay(Environment& environment, Program program, std::unique_ptr<DeviceGraph> graph,
                         std::vector<at::Tensor> inputs, std::vector<at::Tensor> results)
    : Step(environment, std::move(program)),
      graph_(std::move(graph)),
      inputs_(std::move(inputs)),
      results_(std::move(results)),
      writesInput_(inputs_.size()) {
  for (const LeafGradient& gradient : program_.gradients) {
    gradients_.push_back(gradient.result == kNothing ? at::Tensor() : gradient.leaf.grad());
    // The capture has computed nothing, so a leaf that had no gradient before it has none after it.
    if (!gradient.wasDefined) gradient.leaf.mutable_grad().reset();
  }
  for (const Slot slot : program_.written) {
    const Source& source = program_.sources[static_cast<size_t>(slot)];
    if (source.kind == Source::Kind::Input) writesInput_[source.input] = true;
  }
}

/// A gradient that the graph adds to must be at the address that it had during the capture.
bool GraphReplay::fits(Environment& environment, const std::vector<at::Tensor>& inputs) const {
  if (!Step::fits(environment, inputs)) return false;
  for (size_t i = 0; i < gradients_.size(); ++i) {
    const LeafGradient& gradient = program_.gradients[i];
    if (gradient.matters && gradient.wasDefined && !gradient.leaf.grad().is_same(gradients_[i])) return false;
  }
  return true;
}

/// The graph reads a copy of each argument. So if it writes an argument, another argument with the same
/// memory would not show the change.
bool GraphReplay::sharesMemoryAsCaptured(Environment& environment,
                                         const std::vector<at::Tensor>& inputs) const {
  const std::vector<size_t> aliases = aliasesOf(inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (aliases[i] == i || !(writesInput_[i] || writesInput_[aliases[i]])) continue;
    throwTypeError(
        environment,
        "torch.capture: the step changes an argument in place that shares its memory with another, and a "
        "graph has a copy of each: pass a clone() of one of them.");
  }
  return true;
}

std::vector<at::Tensor> GraphReplay::run(Environment&, const std::vector<at::Tensor>& inputs) {
  const at::NoGradGuard withoutGraph;
  for (size_t i = 0; i < inputs.size(); ++i) inputs_[i].copy_(inputs[i], /*non_blocking=*/true);
  graph_->replay();
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (writesInput_[i]) at::Tensor(inputs[i]).copy_(inputs_[i], /*non_blocking=*/true);
  }
  for (const Slot slot : program_.written) {
    const Source& source = program_.sources[static_cast<size_t>(slot)];
    if (source.kind == Source::Kind::Kept) source.tensor.unsafeGetTensorImpl()->bump_version();
  }
  for (size_t i = 0; i < gradients_.size(); ++i) {
    at::Tensor& place = program_.gradients[i].leaf.mutable_grad();
    if (!place.is_same(gradients_[i])) place = gradients_[i];
  }
  std::vector<at::Tensor> results;
  results.reserve(results_.size());
  for (const at::Tensor& result : results_) results.push_back(result.detach().clone());
  return results;
}

}  // namespace mpslab::capture
