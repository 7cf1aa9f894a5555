// Makes tensors over one memory: the device's, the host's, and one without memory for shape functions.
#include "simulated_metal/kernels/host_view.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/CPUAllocator.h>

#include "simulated_metal/kernels/factories.h"
#include "simulated_metal/memory/device_memory.h"

namespace mpslab::metal {
namespace {

at::Tensor viewOver(c10::Storage storage, c10::DispatchKey key, const at::Tensor& tensor) {
  at::Tensor view =
      at::detail::make_tensor<at::TensorImpl>(std::move(storage), c10::DispatchKeySet(key), tensor.dtype());
  at::TensorImpl* impl = view.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  if (tensor.is_conj()) impl->_set_conj(true);
  if (tensor.is_neg()) impl->_set_neg(true);
  return view;
}

void requireStrided(const at::Tensor& tensor) {
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided,
                              "only strided tensors are supported on the simulated Metal device");
}

}  // namespace

at::Tensor hostView(const at::Tensor& tensor) {
  requireStrided(tensor);
  return viewOver(DeviceMemory::hostStorage(tensor.storage()), c10::DispatchKey::CPU, tensor);
}

at::Tensor resizableHostView(const at::Tensor& tensor) {
  requireStrided(tensor);
  const c10::Storage& storage = tensor.storage();
  c10::Storage own(c10::Storage::use_byte_size_t(), storage.nbytes(),
                   c10::DataPtr(storage.mutable_data(), c10::Device(c10::kCPU)), c10::GetCPUAllocator(),
                   true);
  return viewOver(std::move(own), c10::DispatchKey::CPU, tensor);
}

at::Tensor metaView(const at::Tensor& tensor) {
  static c10::Allocator* const meta = c10::GetAllocator(c10::kMeta);
  c10::Storage storage(c10::Storage::use_byte_size_t(), tensor.storage().nbytes(),
                       c10::DataPtr(nullptr, c10::Device(c10::kMeta)), meta, true);
  return viewOver(std::move(storage), c10::DispatchKey::Meta, tensor);
}

at::Tensor deviceView(const at::Tensor& base, const at::Tensor& host) {
  at::Tensor view = at::detail::make_tensor<at::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(base.storage()), base.key_set(), host.dtype());
  at::TensorImpl* impl = view.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(host.sizes(), host.strides(), host.storage_offset());
  impl->_set_conj(host.is_conj());
  impl->_set_neg(host.is_neg());
  return view;
}

at::Tensor emptyOnDevice(at::IntArrayRef sizes, at::IntArrayRef strides, at::ScalarType dtype) {
  requireDtype(dtype);
  return at::detail::empty_strided_generic(sizes, strides, &deviceMemory(),
                                           c10::DispatchKeySet(c10::DispatchKey::MPS), dtype);
}

at::Tensor copyToDevice(const at::Tensor& host) {
  requireStrided(host);
  at::Tensor device = emptyOnDevice(host.sizes(), host.strides(), host.scalar_type());
  if (host.numel() != 0) hostView(device).copy_(host);
  return device;
}

}  // namespace mpslab::metal
