// Reads geometry, mode and aliases off tensors and threads.
#include "capture/program.h"

#include <ATen/autocast_mode.h>
#include <c10/core/InferenceMode.h>

namespace mpslab::capture {

Geometry Geometry::of(const at::Tensor& tensor) {
  Geometry geometry;
  geometry.sizes = tensor.sizes();
  if (tensor.layout() == at::kStrided) geometry.strides = tensor.strides();
  geometry.offset = tensor.has_storage() ? tensor.storage_offset() : 0;
  geometry.dtype = tensor.scalar_type();
  geometry.conjugate = tensor.is_conj();
  geometry.negative = tensor.is_neg();
  return geometry;
}

Mode Mode::here(at::DeviceType device) {
  Mode mode;
  mode.gradients = at::GradMode::is_enabled();
  mode.inference = c10::InferenceMode::is_enabled();
  mode.autocast = at::autocast::is_autocast_enabled(device);
  if (mode.autocast) mode.autocastDtype = at::autocast::get_autocast_dtype(device);
  return mode;
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

}  // namespace mpslab::capture
