// The checks of the table in refusals.cc. Each reads an operator's arguments by their position in its schema.
// A comment names the operators whose arguments need explaining.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/tensor.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "call/refusals/refusals.h"
#include "vocabulary/dtype.h"
#include "vocabulary/memory_layout.h"

namespace mpslab::refusals {

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

template <size_t place>
void requireMatrix(const Arguments& arguments) {
  const int64_t dimensions = arguments[place].toTensor().dim();
  TORCH_CHECK_VALUE(dimensions == 2, "argument ", place, " must have 2 dimensions, but it has ", dimensions);
}

/// Calls `check` with every tensor among the arguments, lists not included.
template <typename Check>
void eachTensor(const Arguments& arguments, Check check) {
  for (const c10::IValue& argument : arguments) {
    if (argument.isTensor() && argument.toTensor().defined()) check(argument.toTensor());
  }
}

inline void requireStrided(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_VALUE(tensor.layout() == at::kStrided, "every tensor must be strided, but one is ",
                      tensor.layout(), ": convert it with toDense()");
  });
}

/// `arange(start, end, step, dtype, layout, device)` and `arange(start, end, step, out)`: CUDA divides by the
/// step as an integer.
inline void requireWholeStep(const Arguments& arguments) {
  const at::Tensor out = arguments[3].isTensor() ? arguments[3].toTensor() : at::Tensor();
  const auto device = out.defined() ? out.device() : arguments[5].toOptional<at::Device>().value_or(at::kCPU);
  if (!device.is_cuda()) return;
  const at::Scalar step = arguments[2].toScalar();
  const auto dtype =
      out.defined() ? out.scalar_type() : arguments[3].toOptional<at::ScalarType>().value_or(step.type());
  if (!at::isIntegralType(dtype, /*includeBool=*/false) || !step.isFloatingPoint()) return;
  TORCH_CHECK_VALUE(std::abs(step.toDouble()) >= 1, "a step of ", step.toDouble(), " is 0 as an integer",
                    ": choose a whole step, or a floating-point dtype");
}

/// Sparse tensors are not refused: libtorch copies them correctly.
inline void requireNotMkldnn(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_VALUE(tensor.layout() != at::kMkldnn,
                      "a tensor of mkldnn's layout cannot be copied so: convert it with toDense()");
  });
}

/// libtorch refuses to copy a sparse tensor of coordinates, and crashes for the compressed sparse layouts.
inline void requireCopyable(const Arguments& arguments) {
  requireNotMkldnn(arguments);
  for (const size_t place : {0, 1}) {
    const c10::Layout layout = arguments[place].toTensor().layout();
    TORCH_CHECK_VALUE(layout == at::kStrided || layout == at::kSparse, "a tensor of layout ", layout,
                      " cannot be copied so: convert it with toDense()");
  }
}

inline void requireNotQuantized(const Arguments& arguments) {
  eachTensor(arguments, [](const at::Tensor& tensor) {
    TORCH_CHECK_TYPE(!tensor.is_quantized(),
                     "a quantized tensor has no such view: take intRepr() or dequantize()");
  });
}

/// `combinations(self, r, with_replacement)`: a tensor for each of the r dimensions.
inline void requireFewDimensions(const Arguments& arguments) {
  constexpr int64_t kMaxDimensions = 64;
  const int64_t r = arguments[1].toInt();
  TORCH_CHECK_VALUE(r <= kMaxDimensions, "r must be at most ", kMaxDimensions, ", but it is ", r);
}

/// `adaptive_max_pool3d(self, output_size)`: if one size is 0, no memory is allocated that could run short,
/// and the loops over the other sizes run.
inline void requireFewEmpty(const Arguments& arguments) {
  constexpr int64_t kMost = 65'536;
  const std::vector<int64_t> sizes = arguments[1].toIntVector();
  if (std::find(sizes.begin(), sizes.end(), 0) == sizes.end()) return;
  for (const int64_t size : sizes)
    TORCH_CHECK_VALUE(size <= kMost, "beside a size of 0 none may be above ", kMost, ", but one is ", size);
}

/// `choose_qparams_optimized(input, numel, n_bins, ratio, bit_width)`: the last three set the steps of its
/// search.
inline void requireSearchable(const Arguments& arguments) {
  const int64_t bins = arguments[2].toInt();
  const double ratio = arguments[3].toDouble();
  const int64_t bits = arguments[4].toInt();
  TORCH_CHECK_VALUE(bins > 0, "nBins must be above 0, but it is ", bins);
  TORCH_CHECK_VALUE(ratio >= 0 && ratio <= 1, "ratio must be from 0 to 1, but it is ", ratio);
  TORCH_CHECK_VALUE(bits >= 1 && bits <= 8, "bitWidth must be from 1 to 8, but it is ", bits);
}

template <size_t place>
void requireNotEmpty(const Arguments& arguments) {
  TORCH_CHECK_VALUE(!arguments[place].toListRef().empty(), "expected a list of at least one tensor");
}

template <size_t... places>
void requirePositive(const Arguments& arguments) {
  const auto check = [&](size_t place) {
    const int64_t number = arguments[place].toInt();
    TORCH_CHECK_VALUE(number > 0, "argument ", place, " must be above 0, but it is ", number);
  };
  (check(places), ...);
}

template <size_t place>
void requireElements(const Arguments& arguments) {
  TORCH_CHECK_VALUE(arguments[place].toTensor().numel() > 0, "argument ", place, " must have elements");
}

/// `_fft_r2c(self, dim, ...)`: it takes no negative dimensions; the public functions convert them before.
inline void requireDimensions(const Arguments& arguments) {
  const int64_t dimensions = arguments[0].toTensor().dim();
  for (const int64_t dim : arguments[1].toIntVector()) {
    TORCH_CHECK_INDEX(dim >= 0 && dim < dimensions, "a dimension must be from 0 to ", dimensions - 1,
                      ", but one is ", dim);
  }
}

/// `_slow_conv2d_backward(grad_output, self, weight, kernel_size, stride, padding)`
constexpr Refusal kRequireConvolutionLists = requireLengthsOfTwo<3, 4, 5>;

/// `_nnpack_spatial_convolution(input, weight, bias, padding, stride)`
inline void requireNnpackable(const Arguments& arguments) {
  requireLengthsOfTwo<3, 4>(arguments);
  for (const int64_t stride : arguments[4].toIntVector())
    TORCH_CHECK_VALUE(stride > 0, "a stride must be above 0, but one is ", stride);
  for (const size_t place : {0, 1})
    TORCH_CHECK_VALUE(arguments[place].toTensor().dim() == 4, "argument ", place, " must have 4 dimensions");
}

/// `_chunk_cat(tensors, dim, num_chunks)`: it checks that the tensors agree in the dimensions before `dim`,
/// not that they have `dim`.
inline void requireChunkable(const Arguments& arguments) {
  const int64_t dim = arguments[1].toInt();
  for (const c10::IValue& tensor : arguments[0].toListRef()) {
    TORCH_CHECK_INDEX(tensor.toTensor().dim() > std::max(dim, int64_t{0}),
                      "every tensor must have dimension ", dim, ", but one has ", tensor.toTensor().dim(),
                      " dimensions");
  }
}

/// `_remove_batch_dim(self, level, batch_size, out_dim)`
inline void requireOutDimension(const Arguments& arguments) {
  const int64_t dimensions = arguments[0].toTensor().dim();
  const int64_t dim = arguments[3].toInt();
  TORCH_CHECK_INDEX(dim >= 0 && dim <= dimensions, "outDim must be from 0 to ", dimensions, ", but it is ",
                    dim);
}

/// `_foreach_copy(self[], src[])`
inline void requireSameLengths(const Arguments& arguments) {
  const size_t length = arguments[0].toListRef().size();
  const size_t given = arguments[1].toListRef().size();
  TORCH_CHECK_VALUE(length == given, "both lists must have as many tensors, but they have ", length, " and ",
                    given);
  for (const size_t place : {0, 1}) {
    for (const c10::IValue& one : arguments[place].toListRef()) {
      const c10::Layout layout = one.toTensor().layout();
      TORCH_CHECK_VALUE(layout == at::kStrided || layout == at::kSparse, "a tensor of layout ", layout,
                        " cannot be copied so: convert it with toDense()");
    }
  }
}

/// Fused optimizers walk through a parameter, its gradient and its state side by side in memory, and check
/// nothing. `lists` are the positions of the lists that they read. The list at position `optional` may be
/// empty unless the argument at `flag` is set.
constexpr size_t kNoOptional = std::numeric_limits<size_t>::max();
template <size_t steps, size_t optional, size_t flag, size_t... lists>
void requireFusable(const Arguments& arguments) {
  const auto params = arguments[0].toListRef();
  const auto require = [&](size_t place) {
    const auto list = arguments[place].toListRef();
    if (place == optional && list.empty()) {
      const c10::IValue& used = arguments[flag];
      if (!(used.isBool() ? used.toBool() : used.toDouble() != 0)) return;
    }
    TORCH_CHECK_VALUE(list.size() == params.size(), "argument ", place, " must be a list of ", params.size(),
                      " tensors, one for each parameter, but it has ", list.size());
    for (size_t i = 0; i < params.size(); ++i) {
      const at::Tensor &tensor = list[i].toTensor(), &parameter = params[i].toTensor();
      TORCH_CHECK_VALUE(liesAlike(tensor, parameter), "argument ", place,
                        " must lie in memory as the parameters do, but tensor ", i, " is ",
                        dtypeName(tensor.scalar_type()), " ", tensor.sizes(), " with strides ",
                        tensor.strides(), " and its parameter is ", dtypeName(parameter.scalar_type()), " ",
                        parameter.sizes(), " with strides ", parameter.strides());
    }
  };
  (require(lists), ...);
  if constexpr (steps > 0) {
    const auto counts = arguments[steps].toListRef();
    TORCH_CHECK_VALUE(counts.size() == params.size(), "argument ", steps, " must be a list of ",
                      params.size(), " tensors, but it has ", counts.size());
    for (const c10::IValue& value : counts) {
      const at::Tensor& count = value.toTensor();
      TORCH_CHECK_VALUE(count.numel() == 1 && count.scalar_type() == at::kFloat,
                        "each count of steps must be one float32 number, but one is ",
                        dtypeName(count.scalar_type()), " ", count.sizes());
    }
  }
}

/// `_fused_adam_(self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2,
/// weight_decay, eps, amsgrad, ...)`
constexpr Refusal kRequireFusableAdam = requireFusable<5, 4, 11, 0, 1, 2, 3, 4>;
/// `_fused_sgd_(self, grads, momentum_buffer_list, weight_decay, momentum, ...)`
constexpr Refusal kRequireFusableSgd = requireFusable<0, 2, 4, 0, 1, 2>;
/// `_fused_adagrad_(self, grads, state_sums, state_steps, ...)`
constexpr Refusal kRequireFusableAdagrad = requireFusable<3, kNoOptional, 0, 0, 1, 2>;

/// `_weight_norm(v, g, dim)`: it needs a norm for each slice of v along `dim`. Only the code for the first
/// and the last dimension does not check this.
template <size_t v, size_t dim, size_t... norms>
void requireNorms(const Arguments& arguments) {
  const at::Tensor weights = arguments[v].toTensor();
  const int64_t along = arguments[dim].toInt();
  if (along != 0 && along != weights.dim() - 1) return;
  const auto check = [&](const at::Tensor& some) {
    TORCH_CHECK_VALUE(some.numel() == weights.size(along), "there must be ", weights.size(along),
                      " norms, but there are ", some.numel());
  };
  (check(arguments[norms].toTensor()), ...);
}

/// The operator splits the gates into `parts` of the same size, and reads each part.
template <int64_t parts, size_t... places>
void requireGates(const Arguments& arguments) {
  const auto check = [&](const at::Tensor& gates) {
    TORCH_CHECK_VALUE(gates.dim() >= 2 && gates.size(1) > 0 && gates.size(1) % parts == 0,
                      "the second dimension of gates must be a multiple of ", parts, ", but they are ",
                      gates.sizes());
  };
  (check(arguments[places].toTensor()), ...);
}

/// `_cholesky_solve_helper(self, A, upper)`: LAPACK is given the sizes of one and the memory of the other.
inline void requireSolvable(const Arguments& arguments) {
  const at::Tensor self = arguments[0].toTensor();
  const at::Tensor a = arguments[1].toTensor();
  TORCH_CHECK_VALUE(self.dim() >= 2 && a.dim() == self.dim() && a.size(-2) == a.size(-1) &&
                        a.size(-1) == self.size(-2) &&
                        a.sizes().slice(0, a.dim() - 2) == self.sizes().slice(0, self.dim() - 2),
                    "A must be square, with as many rows and the batches of self, but it is ", a.sizes(),
                    " beside ", self.sizes());
}

/// `_pad_packed_sequence(data, batch_sizes, ...)`
inline void requireBatchSizes(const Arguments& arguments) {
  const at::Tensor sizes = arguments[1].toTensor();
  if (sizes.dim() != 1 || sizes.scalar_type() != at::kLong || !sizes.is_cpu() || sizes.numel() == 0) return;
  int64_t before = sizes[0].item<int64_t>();
  for (int64_t i = 0; i < sizes.numel(); ++i) {
    const int64_t size = sizes[i].item<int64_t>();
    TORCH_CHECK_VALUE(size > 0 && size <= before, "batchSizes must be above 0 and must not rise, but ", size,
                      " follows ", before);
    before = size;
  }
}

/// `fused_moving_avg_obs_fake_quant(self, observer_on, _, running_min, running_max, scale, zero_point, _, _,
/// _, ch_axis, per_row, _)`: with `per_row` it makes these four where the first is empty.
inline void requireObserved(const Arguments& arguments) {
  constexpr std::array<size_t, 4> kObserved = {3, 4, 5, 6};
  const at::Tensor self = arguments[0].toTensor();
  const int64_t axis = arguments[10].toInt();
  const bool perRow = arguments[11].toBool();
  if (perRow && (arguments[3].toTensor().numel() == 0 || axis < -self.dim() || axis >= self.dim())) return;
  const at::Tensor observer = arguments[1].toTensor();
  if (!perRow && observer.is_cpu() && observer.numel() == 1 && observer.item().equal(0)) return;
  const int64_t wanted = perRow ? self.size(axis) : 1;
  for (const size_t place : kObserved) {
    const int64_t number = arguments[place].toTensor().numel();
    TORCH_CHECK_VALUE(number >= wanted, "argument ", place, " must have ", wanted, " elements, but it has ",
                      number);
  }
}

inline bool everyOneWithin(const at::Tensor& tensor, int64_t least, int64_t most) {
  return tensor.numel() == 0 ||
         (tensor.min().item<int64_t>() >= least && tensor.max().item<int64_t>() <= most);
}

inline bool readable(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.layout() == at::kStrided && isIntegralType(tensor.scalar_type(), false);
}

/// `_convert_indices_from_coo_to_csr(self, size)`: it writes at each index.
inline void requireRows(const Arguments& arguments) {
  const int64_t size = arguments[1].toInt();
  TORCH_CHECK_INDEX(
      !readable(arguments[0].toTensor()) || everyOneWithin(arguments[0].toTensor(), 0, size - 1),
      "indices must be from 0 to ", size - 1, ", but one is not");
}

/// `_convert_indices_from_csr_to_coo(crow_indices, col_indices)`
inline void requireRowEnds(const Arguments& arguments) {
  const int64_t columns = arguments[1].toTensor().numel();
  TORCH_CHECK_INDEX(!readable(arguments[0].toTensor()) || everyOneWithin(arguments[0].toTensor(), 0, columns),
                    "crowIndices must be from 0 to ", columns, ", but one is not");
}

inline at::Tensor lengthsOf(const c10::IValue& lengths) {
  return lengths.isTensor() ? lengths.toTensor() : at::tensor(lengths.toIntVector(), at::kLong);
}

/// `ctc_loss(log_probs, targets, input_lengths, target_lengths, ...)`: it uses each target as an index into
/// logProbs. Targets of a row beyond its length are not read. Targets on a GPU are not checked, because
/// reading them would wait for the device.
inline void requireLabels(const at::Tensor& logProbs, const at::Tensor& targets, const at::Tensor& lengths) {
  const bool read = targets.is_cpu() && targets.layout() == at::kStrided && lengths.is_cpu() &&
                    isIntegralType(targets.scalar_type(), false) &&
                    isIntegralType(lengths.scalar_type(), false);
  if (!read || logProbs.dim() < 2) return;
  const int64_t labels = logProbs.size(-1);
  const auto check = [&](const at::Tensor& some) {
    TORCH_CHECK_INDEX(everyOneWithin(some, 0, labels - 1), "targets must be labels from 0 to ", labels - 1,
                      ", but one is not");
  };
  if (targets.dim() != 2) return check(targets);
  for (int64_t row = 0; row < std::min(targets.size(0), lengths.numel()); ++row) {
    const int64_t length = lengths.flatten()[row].item<int64_t>();
    if (length > 0) check(targets[row].narrow(0, 0, std::min(length, targets.size(1))));
  }
}

inline void requireCtcLabels(const Arguments& arguments) {
  requireLabels(arguments[0].toTensor(), arguments[1].toTensor(), lengthsOf(arguments[3]));
}

/// `_ctc_loss_backward(grad, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood,
/// log_alpha, blank, _)`: `_ctc_loss` checks these arguments, and this operator relies on that.
inline void requireCtcLengths(const Arguments& arguments) {
  const at::Tensor logProbs = arguments[1].toTensor();
  const at::Tensor targets = arguments[2].toTensor();
  const at::Tensor inputLengths = lengthsOf(arguments[3]);
  const at::Tensor targetLengths = lengthsOf(arguments[4]);
  const at::Tensor logAlpha = arguments[6].toTensor();
  TORCH_CHECK_VALUE(logProbs.dim() == 3 && logAlpha.dim() == 3,
                    "logProbs and logAlpha must have 3 dimensions");
  const int64_t times = logProbs.size(0);
  const int64_t batch = logProbs.size(1);
  const int64_t labels = logProbs.size(2);
  const int64_t blank = arguments[7].toInt();
  TORCH_CHECK_INDEX(blank >= 0 && blank < labels, "blank must be from 0 to ", labels - 1, ", but it is ",
                    blank);
  TORCH_CHECK_VALUE(inputLengths.numel() == batch && targetLengths.numel() == batch &&
                        arguments[5].toTensor().numel() == batch && logAlpha.size(0) == batch,
                    "there must be ", batch, " of the lengths, of negLogLikelihood and in logAlpha");
  if (batch == 0 || !targets.is_cpu() || targets.layout() != at::kStrided) return;
  const int64_t longest = targets.dim() == 2 ? targets.size(1) : targets.numel();
  const bool held =
      targets.dim() == 2 ? targets.size(0) == batch : targetLengths.sum().item<int64_t>() == targets.numel();
  TORCH_CHECK_VALUE(held && everyOneWithin(targetLengths, 0, std::min(longest, (logAlpha.size(2) - 1) / 2)) &&
                        everyOneWithin(inputLengths, 0, std::min(times, logAlpha.size(1))),
                    "the lengths are not those that logAlpha was made for");
  requireLabels(logProbs, targets, targetLengths);
}

}  // namespace mpslab::refusals
