// What the parts of the addon tell a recording (`capture/`) about the step that runs, and which tensors the
// captured steps need. Nothing here knows how a step is recorded.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mpslab {

struct CaptureNotes {
  /// Why the step cannot be captured; empty as long as it can.
  std::string refusal;
  /// Tensors that the step made from JavaScript's numbers. Addresses only: the tensors may have been freed.
  std::unordered_set<const at::TensorImpl*> fromNumbers;
  /// Tensors that the step disposed of. Addresses only: the tensors may have been freed.
  std::unordered_set<const at::TensorImpl*> disposed;
  /// The leaves whose gradients JavaScript set or cleared in the step, each with the gradient that it had
  /// before the first time.
  std::unordered_map<const at::TensorImpl*, const at::TensorImpl*> replacedGradients;
  /// Tensors that native code keeps from call to call, such as the buckets of data parallel. Native code
  /// makes new views of them for each call.
  std::vector<at::Tensor> ofNativeCode;
};

/// The tensors that captured steps expect at the addresses that they had during the capture.
struct CapturedTensors {
  /// For each tensor, how many captured steps need it.
  std::unordered_map<const at::TensorImpl*, uint32_t> needed;
  /// Those of them that the user disposed of.
  std::unordered_set<const at::TensorImpl*> disposed;

  void need(const at::TensorImpl* tensor) { ++needed[tensor]; }
  void release(const at::TensorImpl* tensor) {
    const auto found = needed.find(tensor);
    if (found == needed.end() || --found->second != 0) return;
    needed.erase(found);
    disposed.erase(tensor);
  }
  void noteDisposed(const at::TensorImpl* tensor) {
    if (needed.contains(tensor)) disposed.insert(tensor);
  }
};

}  // namespace mpslab
