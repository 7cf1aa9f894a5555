// Reads a plan from a schema. The tags are those of native_functions.yaml.
#include "simulated_metal/kernels/operator_plan.h"

#include <ATen/core/enum_tag.h>
#include <ATen/core/jit_type.h>

#include <algorithm>

namespace mpslab::metal {
namespace {

using Kind = ArgumentPlan::Kind;

constexpr std::string_view kProducts[] = {"mm", "addmm", "bmm", "baddbmm",     "addbmm",
                                          "mv", "addmv", "dot", "convolution", "convolution_backward"};

Kind kindOf(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return Kind::Tensor;
    case c10::TypeKind::NumberType:
      return Kind::Scalar;
    case c10::TypeKind::DeviceObjType:
      return Kind::Device;
    case c10::TypeKind::GeneratorType:
      return Kind::Generator;
    case c10::TypeKind::OptionalType:
      return kindOf(type->castRaw<c10::OptionalType>()->getElementType());
    case c10::TypeKind::ListType: {
      const auto& element = type->castRaw<c10::ListType>()->getElementType();
      if (element->kind() == c10::TypeKind::TensorType) return Kind::TensorList;
      return kindOf(element) == Kind::Tensor ? Kind::OptionalTensorList : Kind::Plain;
    }
    default:
      return Kind::Plain;
  }
}

int argumentOf(const c10::FunctionSchema& schema, const c10::AliasInfo& alias) {
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::AliasInfo* info = schema.arguments()[i].alias_info();
    if (info != nullptr && info->beforeSets() == alias.beforeSets()) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

OperatorPlan::OperatorPlan(const c10::OperatorHandle& op) : handle(op) {
  const c10::FunctionSchema& schema = op.schema();
  bool takesGenerator = false;
  for (const c10::Argument& argument : schema.arguments()) {
    ArgumentPlan plan;
    // type() is int for SymInt and ScalarType too. real_type() distinguishes them.
    plan.kind = kindOf(argument.real_type());
    plan.written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
    plan.out = plan.written && argument.kwarg_only();
    hasOut = hasOut || plan.out;
    takesGenerator = takesGenerator || plan.kind == Kind::Generator;
    arguments.push_back(plan);
  }
  for (const c10::Argument& result : schema.returns()) {
    ResultPlan plan;
    plan.tensor = result.real_type()->kind() == c10::TypeKind::TensorType;
    if (result.alias_info() != nullptr) {
      plan.argument = argumentOf(schema, *result.alias_info());
      views = views || !result.alias_info()->isWrite();
    }
    shapesFollow = shapesFollow && (plan.tensor || plan.argument >= 0);
    results.push_back(plan);
  }
  if (op.hasTag(at::Tag::dynamic_output_shape) || op.hasTag(at::Tag::data_dependent_output))
    shapesFollow = false;
  const std::string& name = op.operator_name().name;
  floatsShape = name == "aten::arange" || name == "aten::range";
  // Attention's kernels do not draw: the dropout draws from a generator of its own before a kernel is chosen.
  const bool attention = name.find("scaled_dot_product") != std::string::npos;
  drawsFromDefault = op.hasTag(at::Tag::nondeterministic_seeded) && !takesGenerator && !attention;
  refusesElements = op.hasTag(at::Tag::nondeterministic_seeded) || name.starts_with("aten::linalg_") ||
                    name.starts_with("aten::cholesky");
  takesIndices = !op.hasTag(at::Tag::pointwise);
  multiplies = std::ranges::any_of(kProducts, [&](std::string_view product) {
    return name == "aten::" + std::string(product) || name == "aten::" + std::string(product) + "_";
  });
  hasMeta = op.hasKernelForDispatchKey(c10::DispatchKey::Meta);
}

bool OperatorPlan::mayFail(c10::ArrayRef<c10::IValue> given) const {
  if (refusesElements || !takesIndices) return refusesElements;
  const auto isIndex = [](const c10::IValue& value) {
    if (!value.isTensor()) return false;
    const at::Tensor& tensor = value.toTensor();
    return tensor.defined() && tensor.is_mps() &&
           at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false);
  };
  return std::any_of(given.begin(), given.end(), [&](const c10::IValue& value) {
    if (!value.isList()) return isIndex(value);
    const auto elements = value.toListRef();
    return std::any_of(elements.begin(), elements.end(), isIndex);
  });
}

}  // namespace mpslab::metal
