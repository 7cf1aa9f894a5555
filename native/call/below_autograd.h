// Begins calls below autograd. If nothing is recorded of the tensors, autograd's kernel of an operator only
// finds that out and calls the CPU's kernel. Finding it out here costs a few comparisons instead of a tenth
// of a small operator. Sources: torchgen's gen_variable_type.py, and Note [AutoDispatchBelowADInplaceOrView]
// in ATen/core/LegacyTypeDispatch.h.
#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/util/SmallVector.h>

#include <algorithm>
#include <optional>

namespace mpslab {

/// Whether an operator has its own kernels for autograd and for the CPU, and its results share no memory with
/// its arguments. Views and in-place operators do bookkeeping above the CPU's kernel; composite operators
/// call others that may do so.
bool mayBeginBelowAutograd(const c10::OperatorHandle& op);

/// The keys of a dense CPU tensor that is not quantized, not lazily conjugated, not made in inference mode
/// and not wrapped by a transform.
constexpr c10::DispatchKeySet kPlainKeys =
    c10::DispatchKeySet({c10::DispatchKey::CPU, c10::DispatchKey::ADInplaceOrView,
                         c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutocastCPU});

/// Whether autograd keeps nothing about a tensor: it does not require gradients, was not made by a recorded
/// operation, is no view, and has no tangent.
inline bool isPlain(const at::Tensor& tensor) {
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  return impl->key_set() == kPlainKeys && impl->autograd_meta() == nullptr;
}
inline bool isPlain(const std::optional<at::Tensor>& tensor) { return !tensor || isPlain(*tensor); }
template <unsigned size>
bool isPlain(const c10::SmallVector<at::Tensor, size>& tensors) {
  return std::all_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& tensor) { return isPlain(tensor); });
}
/// Autograd keeps nothing about a value that is not a tensor.
template <typename T>
bool isPlain(const T&) {
  return true;
}

/// Whether nothing on this thread wants to see the call before the CPU's kernel does: autocast, a mode, a
/// transform, inference mode, a profiler.
inline bool threadIsPlain() {
  const auto local = c10::impl::tls_local_dispatch_key_set();
  return local.included_ == c10::default_included_set && local.excluded_ == c10::default_excluded_set &&
         !at::getStepCallbacksUnlessEmpty(at::RecordScope::FUNCTION).has_value();
}

/// Calls the CPU's kernel as autograd's kernel does.
template <typename Result, typename... Arguments, typename... Given>
Result callBelowAutograd(const c10::TypedOperatorHandle<Result(Arguments...)>& op, Given&&... given) {
  const at::AutoDispatchBelowADInplaceOrView below;
  return op.redispatch(c10::DispatchKeySet(c10::DispatchKey::CPU), std::forward<Given>(given)...);
}

}  // namespace mpslab
