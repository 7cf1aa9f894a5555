// Moves the accumulators of gradients to the current stream, as long as this lives.
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
  /// A result of the recording keeps accumulators of its stream, which a step that runs as ever uses on
  /// another. The engine has one wait for the other; libtorch warns of it, from 2.10 on, as of an oversight.
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

  /// PyTorch 2.15 has another pointer to nodes than 2.11.
  using Accumulator =
      decltype(torch::autograd::impl::try_get_grad_accumulator(std::declval<const at::Tensor&>()));

  std::vector<std::pair<Accumulator, InputMetadata>> moved_;
};

}  // namespace mpslab::capture
