// Reads from an operator's schema what it writes, and from the dispatcher which kernels it has.
#include "capture/operators.h"

#include <ATen/autocast_mode.h>
#include <c10/core/TensorOptions.h>

#include "call/schema.h"
#include "capture/program.h"

namespace mpslab::capture {
namespace {

bool anyRequiresGrad(const c10::IValue& value) {
  const at::Tensor* tensor = firstTensor(c10::ArrayRef<const c10::IValue>(&value, 1));
  return tensor != nullptr && tensor->requires_grad();
}

}  // namespace

std::string nameOf(const c10::OperatorHandle& op) {
  std::string name = op.operator_name().name;
  return camelCase(name.substr(name.find("::") + 2));
}

bool isCollective(const c10::OperatorHandle& op) { return op.operator_name().name.starts_with("c10d::"); }

bool isWritten(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// The schemas of collectives do not say what is written. All collectives have their outputs first.
bool writes(const c10::OperatorHandle& op, size_t argument) {
  if (isCollective(op)) return argument == 0;
  return isWritten(op.schema().arguments()[argument]);
}

bool writesAny(const c10::OperatorHandle& op) {
  for (size_t i = 0; i < op.schema().arguments().size(); ++i) {
    if (writes(op, i)) return true;
  }
  return false;
}

const at::Tensor* firstTensor(c10::ArrayRef<const c10::IValue> values) {
  for (const c10::IValue& value : values) {
    if (value.isTensor() && value.toTensor().defined()) return &value.toTensor();
    if (!value.isList()) continue;
    for (const c10::IValue& element : value.toListRef()) {
      if (element.isTensor() && element.toTensor().defined()) return &element.toTensor();
    }
  }
  return nullptr;
}

std::vector<at::Tensor> tensorsOf(const std::vector<c10::IValue>& results) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& result : results) {
    if (result.isTensor()) {
      tensors.push_back(result.toTensor());
    } else if (result.isTensorList()) {
      for (const at::Tensor& tensor : result.toTensorVector()) tensors.push_back(tensor);
    }
  }
  return tensors;
}

bool areViews(const c10::OperatorHandle& op, const at::Tensor& first,
              const std::vector<at::Tensor>& results) {
  if (!first.defined() || results.empty() || !first.has_storage() || first.layout() != at::kStrided ||
      writesAny(op))
    return false;
  return std::all_of(results.begin(), results.end(), [&](const at::Tensor& result) {
    return result.defined() && result.layout() == at::kStrided && result.has_storage() &&
           result.storage().is_alias_of(first.storage()) && result.scalar_type() == first.scalar_type() &&
           result.is_conj() == first.is_conj() && result.is_neg() == first.is_neg();
  });
}

/// A composite operator calls other operators. Some have a kernel of the device besides, for which autograd
/// has no formula: if autograd records, it records the operators that they call. Where autocast has a kernel
/// for an operator, that kernel calls the operator again with cast tensors.
bool isTakenApart(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments,
                  at::Device device) {
  const at::Tensor* first = firstTensor(arguments);
  if (first != nullptr) device = first->device();
  const auto backend =
      c10::computeDispatchKey(std::nullopt, first == nullptr ? at::kStrided : first->layout(), device);
  const bool isRecorded = at::GradMode::is_enabled() &&
                          !op.hasKernelForDispatchKey(c10::DispatchKey::Autograd) &&
                          std::any_of(arguments.begin(), arguments.end(), anyRequiresGrad);
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) &&
      (isRecorded || !op.hasKernelForDispatchKey(backend)))
    return true;
  if (!castsAutomatically(device.type())) return false;
  const auto autocast = at::autocast::get_autocast_dispatch_key_from_device_type(device.type());
  return op.hasKernelForDispatchKey(autocast) && !c10::impl::tls_is_dispatch_key_excluded(autocast);
}

}  // namespace mpslab::capture
