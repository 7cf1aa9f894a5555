// The table of refusals. Each entry was seen with PyTorch 2.15 in a process of its own: what it did stands
// beside it. An argument is known by its place in the operator's schema.
#include "refusals.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <string>
#include <unordered_map>

namespace mpslab {
namespace {

using Arguments = std::vector<c10::IValue>;

template <size_t place, size_t wanted>
void requireLength(const Arguments& arguments) {
  const size_t length =
      arguments[place].isIntList() ? arguments[place].toIntList().size() : arguments[place].toList().size();
  TORCH_CHECK_VALUE(length == wanted, "argument ", place, " must be a list of ", wanted, ", but it has ",
                    length, " elements");
}

template <size_t... places>
void requireLengthsOfTwo(const Arguments& arguments) {
  (requireLength<places, 2>(arguments), ...);
}

template <size_t... places>
void requireLengthsOfThree(const Arguments& arguments) {
  (requireLength<places, 3>(arguments), ...);
}

/// Every tensor among the arguments.
template <typename Check>
void eachTensor(const Arguments& arguments, Check check) {
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined()) check(argument.toTensor());
  }
}

void requireStrided(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_VALUE(tensor.layout() == at::kStrided, "every tensor must be strided, but one is ",
                      tensor.layout(), ": convert it with toDense()");
  });
}

/// Sparse tensors are copied rightly.
void requireNotMkldnn(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_VALUE(tensor.layout() != at::kMkldnn,
                      "a tensor of mkldnn's layout cannot be copied so: convert it with toDense()");
  });
}

void requireNotQuantized(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_TYPE(!tensor.is_quantized(),
                     "a quantized tensor has no such view: take intRepr() or dequantize()");
  });
}

/// `combinations(self, r, with_replacement)`: a tensor for each of the r dimensions.
void requireFewDimensions(const Arguments& arguments) {
  constexpr int64_t kMaxDimensions = 64;
  const int64_t r = arguments[1].toInt();
  TORCH_CHECK_VALUE(r <= kMaxDimensions, "r must be at most ", kMaxDimensions, ", but it is ", r);
}

/// `choose_qparams_optimized(input, numel, n_bins, ratio, bit_width)`: it searches in steps of these.
void requireSearchable(const Arguments& arguments) {
  const int64_t bins = arguments[2].toInt();
  const double ratio = arguments[3].toDouble();
  const int64_t bits = arguments[4].toInt();
  TORCH_CHECK_VALUE(bins > 0, "nBins must be above 0, but it is ", bins);
  TORCH_CHECK_VALUE(ratio >= 0 && ratio <= 1, "ratio must be from 0 to 1, but it is ", ratio);
  TORCH_CHECK_VALUE(bits >= 1 && bits <= 8, "bitWidth must be from 1 to 8, but it is ", bits);
}

/// By an operator's name with its overload, or by its name alone for every overload. In Python 2.15 each
/// was...
const std::unordered_map<std::string, Refusal> kRefusals = {
    // ... a segmentation fault for a list that is too short.
    {"aten::reflection_pad1d_backward", requireLengthsOfTwo<2>},
    {"aten::reflection_pad2d_backward", requireLength<2, 4>},
    {"aten::fractional_max_pool2d_backward", requireLengthsOfTwo<2, 3>},
    {"aten::fractional_max_pool3d_backward", requireLengthsOfThree<2, 3>},
    {"aten::quantized_lstm_cell", requireLength<1, 2>},
    // ... a segmentation fault for a tensor of mkldnn's layout.
    {"aten::copy", requireNotMkldnn},
    {"aten::copy.out", requireNotMkldnn},
    {"aten::index_copy", requireStrided},
    {"aten::index_copy_", requireStrided},
    // ... a segmentation fault for a quantized tensor.
    {"aten::view_copy.dtype", requireNotQuantized},
    {"aten::view_copy.dtype_out", requireNotQuantized},
    // ... a loop of hours.
    {"aten::combinations", requireFewDimensions},
    {"aten::choose_qparams_optimized", requireSearchable},
};

}  // namespace

Refusal refusalOf(const c10::OperatorName& name) {
  for (const std::string& key : {name.name + "." + name.overload_name, name.name}) {
    if (const auto found = kRefusals.find(key); found != kRefusals.end()) return found->second;
  }
  return nullptr;
}

}  // namespace mpslab
