// In-place and `out=` results are also arguments. They are products only once, as written arguments.
#include "shadow/host_call.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "capture/operators.h"
#include "shadow/stand_ins.h"

namespace mpslab::shadow {
namespace {

using capture::isWritten;

void addProducts(std::vector<Product>& products, const std::string& name, const c10::IValue& value) {
  if (value.isTensor()) {
    products.push_back({name, value.toTensor()});
  } else if (value.isTensorList()) {
    size_t place = 0;
    for (const at::Tensor& tensor : value.toTensorVector())
      products.push_back({name + "[" + std::to_string(place++) + "]", tensor});
  } else if (value.isScalar()) {
    products.push_back(
        {name, at::scalar_tensor(value.toScalar(), value.isDouble()          ? at::kDouble
                                                   : value.isComplexDouble() ? at::kComplexDouble
                                                   : value.isBool()          ? at::kBool
                                                                             : at::kLong)});
  }
}

std::string nameOfResult(const c10::FunctionSchema& schema, size_t place) {
  const std::string& name = schema.returns()[place].name();
  if (!name.empty()) return name;
  return schema.returns().size() == 1 ? "result" : "result " + std::to_string(place);
}

}  // namespace

std::vector<Product> productsOf(const c10::OperatorHandle& op, Values arguments, Values results) {
  const c10::FunctionSchema& schema = op.schema();
  std::vector<Product> products;
  for (size_t i = 0; i < results.size() && i < schema.returns().size(); ++i) {
    if (!isWritten(schema.returns()[i])) addProducts(products, nameOfResult(schema, i), results[i]);
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (isWritten(schema.arguments()[i]))
      addProducts(products, schema.arguments()[i].name() + " after the call", arguments[i]);
  }
  return products;
}

std::vector<Product> callOnHost(const c10::OperatorHandle& op, const HostArguments& arguments,
                                const Form& form) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard noGrad;
  const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
  const torch::jit::Stack given = arguments.stack(form);
  torch::jit::Stack stack = given;
  callOrStandIn(op, stack);
  return productsOf(op, valuesOf(given), valuesOf(stack));
}

}  // namespace mpslab::shadow
