// The lists name operators of ATen without their overloads: `max` stands for `max.dim` too.
#include "shadow/operator_rules.h"

#include <ATen/Context.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace mpslab::shadow {
namespace {

using Names = std::set<std::string_view>;

const Names kUninitialized = {"empty",          "empty_like", "empty_strided",
                              "empty_permuted", "new_empty",  "new_empty_strided",
                              "resize_",        "resize_as_", "set_"};

const Names kConvolutions = {"_convolution", "convolution", "convolution_backward", "cudnn_convolution",
                             "cudnn_convolution_transpose"};

const Names kMatrixProducts = {
    "_addmm_activation", "addbmm", "addmm", "addmv", "baddbmm", "bmm", "linear", "mm", "mv"};

/// Half the distance from 1 to the next number of TF32.
constexpr double kTf32Roundoff = 0x1p-11;

const Names kPositionsAlone = {"argmax", "argmin", "argsort"};

/// They compute fractions. With an integer dtype a fraction is cut off, so that 2.9999998 gives 2 and 3
/// gives 3.
const Names kRoundedToIntegers = {"linspace", "logspace"};

const Names kPositions = {"max",
                          "min",
                          "median",
                          "nanmedian",
                          "kthvalue",
                          "sort",
                          "topk",
                          "cummax",
                          "cummin",
                          "max_pool2d_with_indices",
                          "max_pool3d_with_indices",
                          "adaptive_max_pool2d",
                          "adaptive_max_pool3d",
                          "fractional_max_pool2d",
                          "fractional_max_pool3d"};

/// Factorizations, of which a matrix has several.
const Names kFactors = {"geqrf", "linalg_eig", "linalg_eigvals", "_linalg_eigvals", "linalg_qr"};

/// For each operator the index of its only determined result. Eigenvalues and singular values are determined,
/// their vectors are not. The further results of an embedding bag or a loss are for its backward, and each
/// device has its own.
const std::map<std::string_view, size_t> kDeterminedResults = {{"_embedding_bag", 0},
                                                               {"_embedding_bag_forward_only", 0},
                                                               {"nll_loss2d_forward", 0},
                                                               {"_linalg_eigh", 0},
                                                               {"_linalg_svd", 1}};

const Names kExact = {"_to_copy",
                      "abs",
                      "cat",
                      "clone",
                      "constant_pad_nd",
                      "contiguous",
                      "copy",
                      "embedding",
                      "expand_copy",
                      "fill",
                      "flip",
                      "full",
                      "full_like",
                      "gather",
                      "hardtanh",
                      "index",
                      "index_copy",
                      "index_fill",
                      "index_select",
                      "isfinite",
                      "isinf",
                      "isnan",
                      "masked_fill",
                      "masked_select",
                      "max",
                      "maximum",
                      "max_pool2d_with_indices",
                      "min",
                      "minimum",
                      "neg",
                      "ones",
                      "ones_like",
                      "reflection_pad1d",
                      "reflection_pad2d",
                      "relu",
                      "repeat",
                      "replication_pad1d",
                      "replication_pad2d",
                      "roll",
                      "scatter",
                      "select_backward",
                      "sign",
                      "slice_backward",
                      "sort",
                      "stack",
                      "take",
                      "threshold_backward",
                      "topk",
                      "tril",
                      "triu",
                      "where",
                      "zero",
                      "zeros",
                      "zeros_like"};

const Names kProducts = {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "dot", "vdot", "addbmm"};

/// The least number of terms assumed for a reduction that has no rule below, such as the normalization of a
/// row.
constexpr int64_t kLeastTerms = 1024;
/// A function of single elements makes a few roundings.
constexpr int64_t kPointwiseTerms = 4;

const c10::IValue* argumentNamed(const c10::OperatorHandle& op, Values arguments, std::string_view name) {
  const auto& parameters = op.schema().arguments();
  for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
    if (parameters[i].name() == name) return &arguments[i];
  }
  return nullptr;
}

bool asksForIntegers(const c10::OperatorHandle& op, Values arguments) {
  const c10::IValue* out = argumentNamed(op, arguments, "out");
  if (out != nullptr && out->isTensor()) return c10::isIntegralType(out->toTensor().scalar_type(), true);
  const c10::IValue* dtype = argumentNamed(op, arguments, "dtype");
  return dtype != nullptr && dtype->isInt() &&
         c10::isIntegralType(static_cast<at::ScalarType>(dtype->toInt()), true);
}

bool isFalse(const c10::IValue* argument) {
  return argument != nullptr && argument->isBool() && !argument->toBool();
}

at::Tensor tensorAt(Values arguments, size_t place) {
  return place < arguments.size() && arguments[place].isTensor() ? arguments[place].toTensor() : at::Tensor();
}

/// Returns how many products are summed up for one element: the last size of the left factor. `addmm(input,
/// mat1, mat2)` has the left factor second, `mm(self, mat2)` has it first.
int64_t termsOfProduct(std::string_view name, Values arguments) {
  const bool adds = name.starts_with("add") || name == "baddbmm";
  const at::Tensor left = tensorAt(arguments, adds ? 1 : 0);
  const int64_t inner = left.defined() && left.dim() > 0 ? left.size(-1) : 1;
  return name == "addbmm" ? inner * left.size(0) : inner;
}

int64_t termsOfConvolution(Values arguments, size_t weightAt) {
  const at::Tensor weight = tensorAt(arguments, weightAt);
  return weight.defined() && weight.dim() > 1
             ? weight.numel() / std::max<int64_t>(1, std::min(weight.size(0), weight.size(1)))
             : 1;
}

}  // namespace

std::string_view baseName(const c10::OperatorHandle& op) {
  std::string_view name = op.operator_name().name;
  name.remove_prefix(std::string_view("aten::").size());
  if (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
  return name;
}

std::string undetermined(const c10::OperatorHandle& op, Values arguments) {
  const std::string_view name = baseName(op);
  // The name with its underscore: `resize_`.
  const std::string_view whole = std::string_view(op.operator_name().name).substr(6);
  if (kUninitialized.contains(name) || kUninitialized.contains(whole))
    return "its elements are whatever the memory held";
  if (name == "mode") return "of values that are as frequent each device may name another";
  if (kRoundedToIntegers.contains(name) && asksForIntegers(op, arguments))
    return "each device rounds to integers in its own way";
  if (kPositionsAlone.contains(name)) return "of equal elements each device may name another";
  if (kFactors.contains(name)) return "a matrix has several such factors, and each device may give another";
  if (isFalse(argumentNamed(op, arguments, "sorted"))) return "its results are in no order: sorted is false";
  if (!op.hasTag(at::Tag::nondeterministic_seeded)) return {};
  const c10::IValue* dropout = argumentNamed(op, arguments, "dropout_p");
  if (dropout != nullptr && dropout->isDouble() && dropout->toDouble() == 0) return {};
  return "each device draws random numbers of its own; what is computed of them is compared";
}

bool isDetermined(const c10::OperatorHandle& op, size_t place) {
  const auto found = kDeterminedResults.find(baseName(op));
  return found == kDeterminedResults.end() || found->second == place;
}

bool isExact(const c10::OperatorHandle& op) { return kExact.contains(baseName(op)); }

bool givesPositions(const c10::OperatorHandle& op) { return kPositions.contains(baseName(op)); }

double argumentRounding(const c10::OperatorHandle& op, at::Device device) {
  if (!device.is_cuda()) return 0;
  const at::Context& context = at::globalContext();
  const bool takesTf32 = (kConvolutions.contains(baseName(op)) && context.allowTF32CuDNN()) ||
                         (kMatrixProducts.contains(baseName(op)) && context.allowTF32CuBLAS());
  return takesTf32 ? kTf32Roundoff : 0;
}

int64_t termsOf(const c10::OperatorHandle& op, Values arguments) {
  const std::string_view name = baseName(op);
  if (kProducts.contains(name)) return termsOfProduct(name, arguments);
  if (name == "linear") return termsOfProduct("mm", arguments);
  if (name == "convolution") return termsOfConvolution(arguments, 1);
  if (op.hasTag(at::Tag::pointwise)) return kPointwiseTerms;
  int64_t most = kLeastTerms;
  // The gradient of a weight is a sum over the batch. An upper limit for its number of terms: the elements
  // that the largest argument has for one index of its second dimension.
  for (size_t i = 0; i < arguments.size(); ++i) {
    const at::Tensor tensor = tensorAt(arguments, i);
    if (tensor.defined() && tensor.dim() > 1)
      most = std::max(most, tensor.numel() / std::max<int64_t>(1, tensor.size(1)));
  }
  const at::Tensor first = tensorAt(arguments, 0);
  if (name == "sum" || name == "mean" || name == "cumsum" || name == "prod" || name.find("norm") == 0)
    most = first.defined() ? std::max(most, first.numel()) : most;
  return most;
}

}  // namespace mpslab::shadow
