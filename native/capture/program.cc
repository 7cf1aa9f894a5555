// Reads geometry, flags, mode and aliases from tensors and threads, and finds the last use of each slot.
#include "capture/program.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/variable.h>

#include <unordered_set>

#include "vocabulary/dtype.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::capture {

Geometry Geometry::of(const at::Tensor& tensor) {
  Geometry geometry;
  geometry.sizes = tensor.sizes();
  if (tensor.layout() == at::kStrided) geometry.strides = tensor.strides();
  geometry.offset = tensor.has_storage() ? tensor.storage_offset() : 0;
  geometry.dtype = tensor.scalar_type();
  geometry.device = tensor.device();
  geometry.conjugate = tensor.is_conj();
  geometry.negative = tensor.is_neg();
  return geometry;
}

std::string describe(const Geometry& geometry) {
  return std::string(dtypeName(geometry.dtype)) + " " + describeShape(geometry.sizes);
}

bool liesAs(const at::Tensor& tensor, const Geometry& geometry) {
  if (!tensor.sizes().equals(geometry.sizes) || tensor.scalar_type() != geometry.dtype ||
      tensor.device() != geometry.device)
    return false;
  return tensor.layout() != at::kStrided ||
         (tensor.strides().equals(geometry.strides) && tensor.storage_offset() == geometry.offset &&
          tensor.is_conj() == geometry.conjugate && tensor.is_neg() == geometry.negative);
}

bool castsAutomatically(at::DeviceType device) {
  return at::autocast::is_autocast_available(device) && at::autocast::is_autocast_enabled(device);
}

Mode Mode::here(at::DeviceType device) {
  Mode mode;
  mode.gradients = at::GradMode::is_enabled();
  mode.inference = c10::InferenceMode::is_enabled();
  mode.autocast = castsAutomatically(device);
  if (mode.autocast) mode.autocastDtype = at::autocast::get_autocast_dtype(device);
  mode.hostAutocast = at::autocast::is_autocast_enabled(at::kCPU);
  if (mode.hostAutocast) mode.hostAutocastDtype = at::autocast::get_autocast_dtype(at::kCPU);
  mode.defaultDtype = c10::get_default_dtype_as_scalartype();
  mode.deterministic = at::globalContext().deterministicAlgorithms();
  return mode;
}

/// A removed hook leaves a null element in the list.
GradientFlags GradientFlags::of(const at::Tensor& tensor) {
  const auto* meta = torch::autograd::impl::get_autograd_meta(tensor);
  if (meta == nullptr) return {};
  const auto& hooks = meta->cpp_hooks_list_;
  return {.requiresGrad = tensor.requires_grad(),
          .hooked = meta->post_acc_grad_hooks_ != nullptr ||
                    (hooks && std::any_of(hooks->begin(), hooks->end(),
                                          [](const auto& hook) { return hook != nullptr; }))};
}

std::vector<size_t> aliasesOf(const std::vector<at::Tensor>& tensors) {
  std::vector<size_t> aliases(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    aliases[i] = i;
    for (size_t earlier = 0; earlier < i && aliases[i] == i; ++earlier) {
      if (tensors[earlier].storage().is_alias_of(tensors[i].storage())) aliases[i] = earlier;
    }
  }
  return aliases;
}

void noteLastUses(Program& program) {
  std::unordered_set<Slot> used(program.results.begin(), program.results.end());
  for (const LeafGradient& gradient : program.gradients) used.insert(gradient.result);
  for (auto instruction = program.instructions.rbegin(); instruction != program.instructions.rend();
       ++instruction) {
    const auto noteUse = [&](Slot slot) {
      if (slot == kNothing || program.sources[static_cast<size_t>(slot)].kind != Source::Kind::Made) return;
      if (used.insert(slot).second) instruction->lastUses.push_back(slot);
    };
    for (const Argument& argument : instruction->arguments)
      std::for_each(argument.slots.begin(), argument.slots.end(), noteUse);
    std::for_each(instruction->results.begin(), instruction->results.end(), noteUse);
  }
}

}  // namespace mpslab::capture
