// Describes tensors by dtype, shape and device, in the words that messages use.
#include "vocabulary/tensor_description.h"

#include "vocabulary/dtype.h"

namespace mpslab {

std::string describeShape(at::IntArrayRef shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

std::string describe(const at::Tensor& tensor) {
  std::string text(dtypeName(tensor.scalar_type()));
  text += ' ';
  text += tensor.layout() == at::kStrided ? describeShape(tensor.sizes()) : "sparse";
  if (!tensor.device().is_cpu()) text += " on " + tensor.device().str();
  return text;
}

}  // namespace mpslab
