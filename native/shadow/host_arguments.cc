// The memory of all tensors that share a storage is copied once, from the first element that one of them sees
// to the last. A copy by strides would be the device's own work, which is what is in doubt.
#include "shadow/host_arguments.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/_to_copy.h>
#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <limits>

namespace mpslab::shadow {
namespace {

/// Ranges begin at a multiple of this many elements, because Metal copies only from addresses that are
/// multiples of four bytes.
constexpr int64_t kAlignment = 16;

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
};

/// The elements of its storage that a tensor sees.
Range rangeOf(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return {};
  int64_t last = tensor.storage_offset();
  for (int64_t dim = 0; dim < tensor.dim(); ++dim) last += (tensor.size(dim) - 1) * tensor.stride(dim);
  return {tensor.storage_offset() / kAlignment * kAlignment, last + 1};
}

at::Tensor copyRange(const at::Tensor& tensor, Range range) {
  const at::Tensor seen = at::as_strided(tensor, {range.end - range.begin}, {1}, range.begin);
  return at::_to_copy(seen, seen.options().device(at::kCPU), /*non_blocking=*/false);
}

c10::IValue mapTensors(const c10::IValue& value, c10::function_ref<at::Tensor(const at::Tensor&)> map) {
  if (value.isTensor()) return value.toTensor().defined() ? c10::IValue(map(value.toTensor())) : value;
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(map(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const c10::IValue& element : value.toListRef()) {
      const bool there = element.isTensor() && element.toTensor().defined();
      list.push_back(there ? std::optional(map(element.toTensor())) : std::nullopt);
    }
    return list;
  }
  if (value.isDevice()) return c10::Device(at::kCPU);
  return value;
}

bool isFloating(const at::Tensor& tensor) {
  return at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type());
}

/// Multiplies each element by 1 + u or 1 - u, where u is `unit`.
void moveByRoundings(at::Tensor& elements, double unit, at::CPUGeneratorImpl& generator) {
  const bool isComplex = at::isComplexType(elements.scalar_type());
  const int64_t count = elements.numel() * (isComplex ? 2 : 1);
  auto* numbers = static_cast<double*>(elements.mutable_data_ptr());
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (i % 64 == 0) bits = generator.random64();
    numbers[i] *= (bits >> (i % 64) & 1) != 0 ? 1 + unit : 1 - unit;
  }
}

}  // namespace

void forEachTensor(const c10::IValue& value, c10::function_ref<void(const at::Tensor&)> use) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) use(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) forEachTensor(element, use);
  }
}

double unitRoundoff(at::ScalarType dtype) {
  switch (c10::toRealValueType(dtype)) {
    case at::kDouble:
      return std::numeric_limits<double>::epsilon() / 2;
    case at::kFloat:
      return std::numeric_limits<float>::epsilon() / 2;
    case at::kHalf:
      return 0x1p-11;
    case at::kBFloat16:
      return 0x1p-8;
    default:
      return 0;
  }
}

std::string HostArguments::refusal(Values arguments) {
  std::string reason;
  std::unordered_map<const c10::StorageImpl*, at::ScalarType> dtypes;
  for (const c10::IValue& argument : arguments) {
    forEachTensor(argument, [&](const at::Tensor& tensor) {
      if (tensor.layout() != at::kStrided || tensor.is_quantized() || !tensor.has_storage()) {
        reason = "only dense tensors are compared";
      } else if (tensor.is_conj() || tensor.is_neg()) {
        reason = "a conjugated or negated view is not compared";
      } else if (tensor.is_meta()) {
        reason = "a meta tensor has no elements";
      } else {
        const auto [known, isNew] =
            dtypes.try_emplace(tensor.storage().unsafeGetStorageImpl(), tensor.scalar_type());
        if (!isNew && known->second != tensor.scalar_type())
          reason = "arguments of two dtypes share their memory";
      }
    });
  }
  return reason;
}

double HostArguments::roundingOf(at::ScalarType dtype) const {
  const double own = shadow::unitRoundoff(dtype);
  return c10::toRealValueType(dtype) == at::kFloat ? std::max(own, float32Rounding_) : own;
}

HostArguments::HostArguments(Values arguments, double float32Rounding)
    : given_(arguments.begin(), arguments.end()), float32Rounding_(float32Rounding) {
  std::unordered_map<const c10::StorageImpl*, std::vector<at::Tensor>> sharing;
  std::vector<const c10::StorageImpl*> order;
  for (const c10::IValue& argument : arguments) {
    forEachTensor(argument, [&](const at::Tensor& tensor) {
      auto& tensors = sharing[tensor.storage().unsafeGetStorageImpl()];
      if (tensors.empty()) order.push_back(tensor.storage().unsafeGetStorageImpl());
      tensors.push_back(tensor);
      unitRoundoff_ = std::max(unitRoundoff_, roundingOf(tensor.scalar_type()));
    });
  }
  for (const c10::StorageImpl* storage : order) {
    const std::vector<at::Tensor>& tensors = sharing[storage];
    Range range{std::numeric_limits<int64_t>::max(), 0};
    for (const at::Tensor& tensor : tensors) {
      seen_.try_emplace(tensor.unsafeGetTensorImpl(), Seen{memory_.size(), tensor.sizes().vec(),
                                                           tensor.strides().vec(), tensor.storage_offset()});
      if (tensor.numel() == 0) continue;
      const Range seen = rangeOf(tensor);
      range = {std::min(range.begin, seen.begin), std::max(range.end, seen.end)};
    }
    if (range.end == 0) range = {};
    memory_.push_back({copyRange(tensors[0], range), range.begin});
  }
}

torch::jit::Stack HostArguments::stack(const Form& form) const {
  std::vector<at::Tensor> memory;
  const auto generator =
      form.movedBy ? at::make_generator<at::CPUGeneratorImpl>(*form.movedBy) : at::Generator();
  for (const Memory& copied : memory_) {
    at::Tensor elements = copied.elements;
    if (form.isDouble && isFloating(elements)) {
      const bool isComplex = at::isComplexType(elements.scalar_type());
      elements =
          at::_to_copy(elements, elements.options().dtype(isComplex ? at::kComplexDouble : at::kDouble));
      if (form.movedBy) {
        moveByRoundings(elements, roundingOf(copied.elements.scalar_type()),
                        *at::check_generator<at::CPUGeneratorImpl>(generator));
      }
    } else {
      elements = at::_to_copy(elements);
    }
    memory.push_back(std::move(elements));
  }
  torch::jit::Stack stack;
  for (const c10::IValue& value : given_) {
    stack.push_back(mapTensors(value, [&](const at::Tensor& tensor) {
      const Seen& seen = seenOf(tensor);
      const int64_t offset = c10::multiply_integers(seen.sizes) == 0 ? 0 : seen.offset - memoryOf(seen).start;
      at::Tensor made = at::as_strided(memory[seen.memoryNumber], seen.sizes, seen.strides, offset);
      if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
        made.unsafeGetTensorImpl()->set_wrapped_number(true);
      return made;
    }));
  }
  return stack;
}

at::Tensor hostCopy(const at::Tensor& tensor) {
  const Range range = rangeOf(tensor);
  const at::Tensor elements = copyRange(tensor, range);
  const int64_t offset = tensor.numel() == 0 ? 0 : tensor.storage_offset() - range.begin;
  return at::as_strided(elements, tensor.sizes(), tensor.strides(), offset);
}

}  // namespace mpslab::shadow
