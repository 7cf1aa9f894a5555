// Makes empty tensors, views and copies. Sources in PyTorch: empty_mps and its errors in
// ATen/mps/EmptyTensor.cpp; resize_mps_ and set_mps_ in ATen/native/mps; mps_copy_ in mps/operations/Copy.mm,
// which waits for the queue between devices unless `non_blocking`.
#include "simulated_metal/kernels/factories.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>

#include "simulated_metal/kernels/host_view.h"
#include "simulated_metal/memory/device_memory.h"
#include "simulated_metal/profile/profiler.h"
#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

constexpr c10::DispatchKeySet kMetal(c10::DispatchKey::MPS);

at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  TORCH_CHECK_NOT_IMPLEMENTED(layout.value_or(at::kStrided) == at::kStrided,
                              "only strided tensors are supported on MPS");
  TORCH_CHECK(size.size() <= 16, "MPS supports tensors with dimensions <= 16, but got ", size.size(), ".");
  const at::ScalarType type = dtype.value_or(at::typeMetaToScalarType(at::get_default_dtype()));
  requireDtype(type);
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &deviceMemory(), kMetal, type, format);
}

at::Tensor emptyStrided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                        std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                        std::optional<at::Device>, std::optional<bool>) {
  return emptyOnDevice(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride),
                       dtype.value_or(at::typeMetaToScalarType(at::get_default_dtype())));
}

at::Tensor asStrided(const at::Tensor& self, c10::SymIntArrayRef size, c10::SymIntArrayRef stride,
                     std::optional<c10::SymInt> offset) {
  return at::native::as_strided_tensorimpl(self, C10_AS_INTARRAYREF_SLOW(size),
                                           C10_AS_INTARRAYREF_SLOW(stride),
                                           offset ? std::optional(offset->expect_int()) : std::nullopt);
}

at::Tensor view(const at::Tensor& self, c10::SymIntArrayRef size) {
  return at::native::view(self, C10_AS_INTARRAYREF_SLOW(size));
}

const at::Tensor& resize(const at::Tensor& self, c10::SymIntArrayRef size,
                         std::optional<at::MemoryFormat> format) {
  resizeOnDevice(self, C10_AS_INTARRAYREF_SLOW(size));
  if (format) self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  return self;
}

at::Tensor& setNothing(at::Tensor& self) {
  c10::Storage none(c10::Storage::use_byte_size_t(), 0, deviceMemory().allocate(0), &deviceMemory(), true);
  return self.set_(none, 0, {0}, {});
}

at::Tensor& setStorage(at::Tensor& self, at::Storage storage, c10::SymInt offset, c10::SymIntArrayRef size,
                       c10::SymIntArrayRef stride) {
  const at::IntArrayRef sizes = C10_AS_INTARRAYREF_SLOW(size);
  const at::IntArrayRef strides = C10_AS_INTARRAYREF_SLOW(stride);
  TORCH_CHECK(storage.device().is_mps(), "set_(): the storage is on ", storage.device(),
              ", the tensor on mps");
  at::TensorImpl* impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(storage));
  if (strides.data() == nullptr || strides.size() != sizes.size()) {
    impl->set_sizes_contiguous(sizes);
    impl->set_storage_offset(offset.expect_int());
  } else {
    impl->set_sizes_and_strides(sizes, strides, offset.expect_int());
  }
  return self;
}

class CopyWork final : public Work {
 public:
  CopyWork(at::Tensor to, at::Tensor from) : to_(std::move(to)), from_(std::move(from)) {}
  void run() override {
    const at::AutoDispatchBelowADInplaceOrView below;
    const at::NoGradGuard noGrad;
    to_.copy_(from_);
  }
  std::string name() const override { return "aten::copy_"; }

 private:
  at::Tensor to_;
  at::Tensor from_;
};

at::Tensor onHost(const at::Tensor& tensor) { return tensor.is_mps() ? hostView(tensor) : tensor; }

at::Tensor& copy(at::Tensor& self, const at::Tensor& from, bool nonBlocking) {
  TORCH_CHECK(self.defined() && from.defined(), "copy_(): a tensor is undefined");
  if (self.numel() == 0 && from.numel() == 0) return self;
  at::expand_inplace(self, from);  // Refuses shapes that do not fit, here and not in the queue.
  auto work = std::make_unique<CopyWork>(onHost(self), onHost(from));
  const bool queued = nonBlocking || (self.is_mps() && from.is_mps());
  if (!queued) queue().synchronize();
  work->execution = watchCopy(from, self, !queued);
  if (queued)
    queue().launch(std::move(work));
  else
    runWatched(work->execution.get(), [&] { work->run(); });
  return self;
}

/// How CPUFallback.cpp brings back what an operator has changed in place.
at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to) {
  if (to.is_mps() && to.sizes() != from.sizes()) resizeOnDevice(to, from.sizes());
  at::Tensor target = to;
  return copy(target, from, false);
}

at::Scalar localScalar(const at::Tensor& self) {
  queue().synchronize();
  const at::Tensor host = hostView(self);
  at::Scalar read;
  runWatched(watchCopy(self, host, true).get(), [&] { read = at::native::_local_scalar_dense_cpu(host); });
  return read;
}

}  // namespace

void requireDtype(at::ScalarType dtype) {
  TORCH_CHECK_TYPE(dtype != at::kDouble,
                   "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't "
                   "support float64. Please use float32 instead.");
  TORCH_CHECK_TYPE(dtype != at::kComplexDouble,
                   "Trying to convert ComplexDouble to the MPS backend but it does not have support for that "
                   "dtype.");
}

void resizeOnDevice(const at::Tensor& tensor, at::IntArrayRef sizes) {
  at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_contiguous(sizes);
  const auto wanted = static_cast<size_t>(impl->numel() + impl->storage_offset()) * tensor.dtype().itemsize();
  const c10::Storage& storage = tensor.storage();
  if (impl->numel() == 0 || storage.nbytes() >= wanted) return;
  c10::DataPtr larger = deviceMemory().allocate(wanted);
  if (storage.nbytes() != 0) deviceMemory().copy_data(larger.get(), storage.data(), storage.nbytes());
  storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(larger));
  storage.unsafeGetStorageImpl()->set_nbytes(wanted);
}

std::unordered_set<std::string> registerFactories(torch::Library& library) {
  std::unordered_set<std::string> names;
  const auto implement = [&](const char* name, auto function) {
    library.impl(name, function);
    names.insert(name);
  };
  implement("empty.memory_format", TORCH_FN(empty));
  implement("empty_strided", TORCH_FN(emptyStrided));
  implement("as_strided", TORCH_FN(asStrided));
  implement("view", TORCH_FN(view));
  implement("resize_", TORCH_FN(resize));
  implement("set_", TORCH_FN(setNothing));
  implement("set_.source_Storage", TORCH_FN(at::native::set_));
  implement("set_.source_Storage_storage_offset", TORCH_FN(setStorage));
  implement("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  implement("copy_", TORCH_FN(copy));
  implement("_copy_from_and_resize", TORCH_FN(copyFromAndResize));
  implement("_local_scalar_dense", TORCH_FN(localScalar));
  return names;
}

}  // namespace mpslab::metal
