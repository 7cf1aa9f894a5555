// Calls an operator only to learn the shapes of its results.
#include "simulated_metal/kernels/shapes.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_strided.h>

#include "simulated_metal/kernels/host_view.h"

namespace mpslab::metal {
namespace {

using Kind = ArgumentPlan::Kind;
using Arguments = c10::ArrayRef<c10::IValue>;

/// The most memory that the zeros of a trial may take. It is the host's, in addition to what the device
/// holds.
constexpr size_t kMostTrialBytes = size_t{256} * 1024 * 1024;

/// How to replace the device's tensors, devices and generators in the arguments of such a call.
struct StandIn {
  at::Tensor (*tensor)(const at::Tensor&);
  c10::DeviceType device;
  c10::IValue generator;
};

c10::IValue standIn(const c10::IValue& value, const ArgumentPlan& plan, const StandIn& by) {
  switch (plan.kind) {
    case Kind::Tensor:
      return value.isTensor() ? c10::IValue(by.tensor(value.toTensor())) : value;
    case Kind::TensorList: {
      if (!value.isTensorList()) return value;
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(by.tensor(tensor));
      return list;
    }
    case Kind::OptionalTensorList: {
      if (!value.isList()) return value;
      c10::List<std::optional<at::Tensor>> list;
      for (const c10::IValue& element : value.toListRef())
        list.push_back(element.isNone() ? std::nullopt : std::optional(by.tensor(element.toTensor())));
      return list;
    }
    case Kind::Device:
      return value.isDevice() ? c10::IValue(c10::Device(by.device)) : value;
    case Kind::Generator:
      return by.generator;
    default:
      return value;
  }
}

/// Tensors that stand for numbers stay on the CPU, so that they do not widen the other tensors' dtypes.
at::Tensor metaOf(const at::Tensor& tensor) {
  return !tensor.defined() || tensor.is_cpu() ? tensor : metaView(tensor);
}

at::Tensor zerosLike(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.is_cpu()) return tensor;
  at::Tensor zeros = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
  zeros.zero_();
  if (tensor.is_conj()) zeros.unsafeGetTensorImpl()->_set_conj(true);
  if (tensor.is_neg()) zeros.unsafeGetTensorImpl()->_set_neg(true);
  return zeros;
}

size_t bytesOf(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().defined() ? value.toTensor().nbytes() : 0;
  size_t bytes = 0;
  if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) bytes += bytesOf(element);
  }
  return bytes;
}

size_t bytesOf(Arguments arguments) {
  size_t bytes = 0;
  for (const c10::IValue& value : arguments) bytes += bytesOf(value);
  return bytes;
}

Shapes call(const OperatorPlan& plan, Arguments arguments, const StandIn& by, c10::DispatchKey key) {
  torch::jit::Stack stack;
  stack.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) stack.push_back(standIn(arguments[i], plan.arguments[i], by));
  plan.handle.redispatchBoxed(c10::DispatchKeySet(key), &stack);
  return shapesOf(plan, stack);
}

}  // namespace

Shapes shapesByMeta(const OperatorPlan& plan, Arguments arguments) {
  return call(plan, arguments, {metaOf, c10::kMeta, {}}, c10::DispatchKey::Meta);
}

std::optional<Shapes> shapesByTrial(const OperatorPlan& plan, Arguments arguments) {
  if (plan.refusesElements || bytesOf(arguments) > kMostTrialBytes) return {};
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard noGrad;
  try {
    return call(plan, arguments, {zerosLike, c10::kCPU, at::detail::createCPUGenerator()},
                c10::DispatchKey::CPU);
  } catch (const c10::Error&) {
    return {};  // The call itself will give the shapes, from its own elements.
  }
}

Shapes shapesOf(const OperatorPlan& plan, Arguments results) {
  Shapes shapes;
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const int argument = plan.results[i].argument;
    if (argument >= 0 && !plan.arguments[static_cast<size_t>(argument)].out) continue;
    shapes.push_back(results[i].isTensor() ? Shape::of(results[i].toTensor()) : Shape{});
  }
  return shapes;
}

}  // namespace mpslab::metal
