// Holds the table of refusals. Comments above the entries say what Python did with PyTorch 2.15 in a process
// of its own. Entries marked "by its code" share the code of an operator that was tried, and were not run in
// Python themselves.
#include "call/refusals/refusals.h"

#include <string>
#include <unordered_map>

#include "call/refusals/refusal_checks.h"

namespace mpslab {
namespace {

using namespace refusals;

/// The checks, by an operator's name with its overload, or by its name for all of its overloads. The comments
/// complete the sentence "In Python with PyTorch 2.15, each was ...".
const std::unordered_map<std::string, Refusal> kRefusals = {
    // ... a segmentation fault for a list that is too short.
    {"aten::reflection_pad1d_backward", requireLengthsOfTwo<2>},
    {"aten::reflection_pad2d_backward", requireLength<2, 4>},
    {"aten::fractional_max_pool2d_backward", requireLengthsOfTwo<2, 3>},
    {"aten::fractional_max_pool3d_backward", requireLengthsOfThree<2, 3>},
    {"aten::quantized_lstm_cell", requireLength<1, 2>},
    {"aten::_slow_conv2d_backward", kRequireConvolutionLists},
    {"aten::_nnpack_spatial_convolution", requireNnpackable},
    {"aten::_foreach_copy", requireSameLengths},
    {"aten::_stack", requireNotEmpty<0>},
    // ... the same where `out` is quantized.
    {"aten::cat.out", requireNotEmpty<0>},
    {"aten::concat.out", requireNotEmpty<0>},
    {"aten::concatenate.out", requireNotEmpty<0>},
    // ... a segmentation fault, or another's memory, for a dimension that the tensor has not.
    {"aten::_fft_c2c", requireDimensions},  // by its code, but for its out=
    {"aten::_fft_r2c", requireDimensions},
    {"aten::_fft_c2r", requireDimensions},
    {"aten::_remove_batch_dim", requireOutDimension},
    // ... another's memory written, so that a later call crashed.
    {"aten::_convert_indices_from_coo_to_csr", requireRows},     // by its code
    {"aten::_convert_indices_from_csr_to_coo", requireRowEnds},  // by its code
    {"aten::_chunk_cat", requireChunkable},
    // ... a segmentation fault, or another's memory, for sizes that do not fit.
    {"aten::_thnn_differentiable_gru_cell_backward", requireGates<3, 1, 2>},
    {"aten::_thnn_differentiable_lstm_cell_backward", requireGates<4, 2, 3>},
    {"aten::_cholesky_solve_helper", requireSolvable},
    {"aten::mkldnn_linear", requireMatrix<1>},
    {"aten::_weight_norm", requireNorms<0, 2, 1>},
    {"aten::_weight_norm_interface", requireNorms<0, 2, 1>},
    {"aten::_weight_norm_interface_backward", requireNorms<1, 4, 2, 3>},
    {"aten::_pad_packed_sequence", requireBatchSizes},
    {"aten::fused_moving_avg_obs_fake_quant", requireObserved},
    {"aten::_fused_moving_avg_obs_fq_helper", requireObserved},
    {"aten::_fused_moving_avg_obs_fq_helper_functional", requireObserved},  // by its code
    {"aten::_ctc_loss_backward", requireCtcLengths},
    // ... the same for a target that is not a label: it is used as an index without a check.
    {"aten::ctc_loss", requireCtcLabels},
    {"aten::_ctc_loss", requireCtcLabels},
    // ... other tensors' memory written, for tensors that do not lie alike.
    {"aten::_fused_adam", kRequireFusableAdam},  // by its code
    {"aten::_fused_adam_", kRequireFusableAdam},
    {"aten::_fused_adamw", kRequireFusableAdam},  // by its code
    {"aten::_fused_adamw_", kRequireFusableAdam},
    {"aten::_fused_sgd", kRequireFusableSgd},  // by its code
    {"aten::_fused_sgd_", kRequireFusableSgd},
    {"aten::_fused_adagrad", kRequireFusableAdagrad},   // by its code
    {"aten::_fused_adagrad_", kRequireFusableAdagrad},  // by its code
    // ... a division by zero (SIGFPE).
    {"aten::_transform_bias_rescale_qkv", requirePositive<2>},
    {"aten::_native_multi_head_attention", requirePositive<4>},
    {"aten::_transformer_encoder_layer_fwd", requirePositive<2>},
    {"aten::_dyn_quant_matmul_4bit", requirePositive<2>},
    {"aten::_dyn_quant_pack_4bit_weight", requirePositive<3>},
    {"aten::arange.start_step", requireWholeStep},
    {"aten::arange.start_out", requireWholeStep},  // by its code
    {"aten::batch_norm_backward", requireElements<1>},
    {"aten::native_batch_norm_backward", requireElements<1>},
    // ... a segmentation fault for a tensor of mkldnn's or a compressed sparse layout.
    {"aten::copy", requireCopyable},
    {"aten::copy.out", requireCopyable},
    {"aten::cummaxmin_backward", requireStrided},
    {"aten::index_copy", requireStrided},
    {"aten::index_copy_", requireStrided},
    // ... a segmentation fault for a quantized tensor.
    {"aten::_neg_view_copy", requireNotQuantized},
    {"aten::view_copy.dtype", requireNotQuantized},
    {"aten::view_copy.dtype_out", requireNotQuantized},
    // ... a loop that takes hours.
    {"aten::combinations", requireFewDimensions},
    {"aten::choose_qparams_optimized", requireSearchable},
    {"aten::adaptive_max_pool2d", requireFewEmpty},  // by its code
    {"aten::adaptive_max_pool3d", requireFewEmpty},
    {"aten::adaptive_avg_pool2d", requireFewEmpty},   // by its code
    {"aten::adaptive_avg_pool3d", requireFewEmpty},   // by its code
    {"aten::_adaptive_avg_pool2d", requireFewEmpty},  // by its code
    {"aten::_adaptive_avg_pool3d", requireFewEmpty},  // by its code
};

}  // namespace

Refusal refusalOf(const c10::OperatorName& name) {
  for (const std::string& key : {name.name + "." + name.overload_name, name.name}) {
    if (const auto found = kRefusals.find(key); found != kRefusals.end()) return found->second;
  }
  return nullptr;
}

}  // namespace mpslab
