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

/// Whether an operator has kernels of its own for autograd and for the CPU, and its results share no memory
/// with its arguments: views and in-place operators have books to keep, and composite ones are made of others
/// that may have.
bool mayBeginBelowAutograd(const c10::OperatorHandle& op);

/// Keys of a dense tensor of the CPU: neither quantized nor of lazy conjugation, nor made in inference mode,
/// nor wrapped by a transform.
constexpr c10::DispatchKeySet kPlainKeys =
    c10::DispatchKeySet({c10::DispatchKey::CPU, c10::DispatchKey::ADInplaceOrView,
                         c10::DispatchKey::AutogradCPU, c10::DispatchKey::AutocastCPU});

/// Whether autograd keeps nothing about a tensor: it is no leaf, no result, no view, and has no tangent.
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
