// Sparse COO tensors on the simulated device, as PyTorch dispatches them. Most operators are one function for
// all devices, which works on the tensors of indices and values: it runs here as it does on a Mac. For those
// with a kernel of Metal's own (ATen/native/sparse/mps) the host's kernel runs on copies.
#include "simulated_metal/kernels/sparse.h"

#include <ATen/SparseTensorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/SparseTensorUtils.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>

#include <functional>
#include <sstream>

#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

/// Runs the function that libtorch has registered under another key, with the device's own tensors.
class SharedKernel final : public c10::OperatorKernel {
 public:
  explicit SharedKernel(c10::DispatchKey key) : key_(key) {}
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
    op.redispatchBoxed(c10::DispatchKeySet(key_), stack);
  }

 private:
  c10::DispatchKey key_;
};

at::Tensor copyTo(at::DeviceType device, const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.device().type() == device) return tensor;
  if (!tensor.is_sparse()) return tensor.to(device);
  return at::_sparse_coo_tensor_unsafe(tensor._indices().to(device), tensor._values().to(device),
                                       tensor.sizes(), tensor.options().device(device),
                                       tensor.is_coalesced());
}

/// Writes the host's result into the `out=` tensor of the call.
void write(const at::Tensor& target, const at::Tensor& host) {
  const at::DeviceType device = target.device().type();
  if (!target.is_sparse()) {
    target.resize_(host.sizes());
    target.copy_(host);
    return;
  }
  at::SparseTensorImpl* impl = at::sparse::get_sparse_impl(target);
  impl->raw_resize_(host.sparse_dim(), host.dense_dim(), host.sizes());
  impl->set_indices_and_values_unsafe(host._indices().to(device), host._values().to(device));
  impl->set_coalesced(host.is_coalesced());
}

class HostSparseKernel final : public c10::OperatorKernel {
 public:
  void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const at::NoGradGuard noGrad;
    const auto& parameters = op.schema().arguments();
    torch::jit::Stack host;
    at::Tensor target;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const c10::IValue& value = torch::jit::peek(*stack, i, parameters.size());
      if (parameters[i].alias_info() != nullptr && parameters[i].alias_info()->isWrite())
        target = value.toTensor();
      host.push_back(value.isTensor() ? c10::IValue(copyTo(at::kCPU, value.toTensor())) : value);
    }
    queue().synchronize();
    op.callBoxed(&host);
    torch::jit::drop(*stack, parameters.size());
    if (target.defined()) {
      write(target, host.front().toTensor());
      stack->emplace_back(target);
      return;
    }
    for (const c10::IValue& result : host)
      stack->push_back(result.isTensor() ? c10::IValue(copyTo(at::kMPS, result.toTensor())) : result);
  }
};

void implement(torch::Library& library, const std::string& names, c10::DispatchKey hostKey,
               const std::function<torch::CppFunction()>& kernel) {
  std::istringstream list(names);
  for (std::string name; list >> name;) {
    const size_t dot = name.find('.');
    const auto handle = c10::Dispatcher::singleton().findSchema(
        {"aten::" + name.substr(0, dot), dot == std::string::npos ? "" : name.substr(dot + 1)});
    if (handle && handle->hasKernelForDispatchKey(hostKey)) library.impl(name.c_str(), kernel());
  }
}

}  // namespace

void registerSparseKernels(const SparseKernels& kernels, torch::Library& strided) {
  // Never destroyed: taking the kernels back at the process's end would find a dispatcher that is gone.
  static auto* library =
      new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::SparseMPS, __FILE__, __LINE__);
  const auto shared = [](c10::DispatchKey key) {
    return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<SharedKernel>(key));
  };
  implement(*library, kernels.shared, c10::DispatchKey::SparseCPU,
            [&] { return shared(c10::DispatchKey::SparseCPU); });
  implement(*library, kernels.own, c10::DispatchKey::SparseCPU,
            [] { return torch::CppFunction::makeFromBoxedFunctor(std::make_unique<HostSparseKernel>()); });
  // These take their indices from nonzero() on the device.
  for (const char* name : {"_to_sparse", "_to_sparse.sparse_dim"})
    strided.impl(name, shared(c10::DispatchKey::CPU));
}

}  // namespace mpslab::metal
