// Moves the accumulators of gradients to the current stream while it lives.
#pragma once
#include <ATen/Context.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/input_metadata.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>
#include <vector>

#include "addon/environment.h"

namespace mpslab::capture {

/// An accumulator belongs to the stream that was current when it was made, and backward has that stream wait
/// for its gradient. Data parallel keeps those of its parameters, which were made on the default stream; that
/// one must not wait for a stream that is captured.
class AccumulatorStreams {
 public:
  explicit AccumulatorStreams(Environment& environment) {
    expectTwoStreams(at::globalContext());
    environment.pool.forEachLive([this](const Handle& handle) {
      const at::Tensor& tensor = handle.tensor;
      if (!tensor.requires_grad() || !tensor.is_leaf() || tensor.is_cpu()) return;
      auto accumulator = torch::autograd::impl::try_get_grad_accumulator(tensor);
      if (!accumulator) return;
      moved_.emplace_back(accumulator, accumulator->input_metadata(0));
      replace(accumulator->mutable_input_metadata(0), InputMetadata(tensor));
    });
  }

  ~AccumulatorStreams() {
    for (const auto& [accumulator, metadata] : moved_)
      replace(accumulator->mutable_input_metadata(0), metadata);
  }

  AccumulatorStreams(const AccumulatorStreams&) = delete;
  AccumulatorStreams& operator=(const AccumulatorStreams&) = delete;

 private:
  /// A result of the recording keeps accumulators on its stream, and a step that runs without capture uses
  /// them on another stream. The engine makes one stream wait for the other. Since 2.10 libtorch warns of
  /// this as a possible mistake; here it is intended.
  template <typename Context>
  static void expectTwoStreams(Context& context) {
    if constexpr (requires { context.setWarnOnAccumulateGradStreamMismatch(false); })
      context.setWarnOnAccumulateGradStreamMismatch(false);
  }

  using InputMetadata = torch::autograd::InputMetadata;

  /// It has a constant member, so it cannot be assigned.
  static void replace(InputMetadata& metadata, const InputMetadata& other) {
    std::destroy_at(&metadata);
    std::construct_at(&metadata, other);
  }

  /// The pointer type differs between PyTorch 2.11 and 2.15.
  using Accumulator =
      decltype(torch::autograd::impl::try_get_grad_accumulator(std::declval<const at::Tensor&>()));

  std::vector<std::pair<Accumulator, InputMetadata>> moved_;
};

}  // namespace mpslab::capture
