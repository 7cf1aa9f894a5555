// Reads the plans of operators from libtorch's schemas, once each.
#include "call/schema.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

namespace mpslab {
namespace {

using c10::TypeKind;

/// The operators that may be given tensors of several devices, because that is their purpose.
constexpr std::array<std::string_view, 17> kMixesDevices = {
    "copy_",      "copy",       "_copy_from",           "to",   "type_as",  "_to_copy",       "index",
    "index_put",  "index_put_", "_index_put_impl_",     "set_", "set_data", "_foreach_copy_", "view_as",
    "reshape_as", "expand_as",  "_pack_padded_sequence"};

/// Parameters that stay on the host: lengths of sequences, of packed sequences and of the CTC loss.
constexpr std::array<std::string_view, 3> kOnHost = {"batch_sizes", "input_lengths", "target_lengths"};

constexpr std::array<std::string_view, 7> kCopies = {"copy_",   "copy",     "_copy_from",    "to",
                                                     "type_as", "_to_copy", "_foreach_copy_"};

/// Operators whose schemas say that they write a tensor, although they change none of its elements.
constexpr std::array<std::string_view, 3> kWriteNoElements = {"retain_grad", "record_stream", "set_data"};

/// PyTorch's Python functions wrap the number of these and never call their Scalar overloads, so that the
/// recorded operation has the name that everybody knows (`AddBackward0`).
constexpr std::array<std::string_view, 8> kWrapNumbers = {"add", "add_", "sub", "sub_",
                                                          "mul", "mul_", "div", "div_"};

template <size_t size>
bool contains(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Type typeOf(const c10::Type& type) {
  switch (type.kind()) {
    case TypeKind::TensorType:
      return Type::Tensor;
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return Type::Int;
    case TypeKind::FloatType:
    case TypeKind::SymFloatType:
      return Type::Float;
    case TypeKind::BoolType:
    case TypeKind::SymBoolType:
      return Type::Bool;
    case TypeKind::NumberType:
      return Type::Number;
    case TypeKind::StringType:
      return Type::String;
    case TypeKind::ScalarTypeType:
      return Type::Dtype;
    case TypeKind::LayoutType:
      return Type::Layout;
    case TypeKind::MemoryFormatType:
      return Type::MemoryFormat;
    case TypeKind::DeviceObjType:
      return Type::Device;
    case TypeKind::GeneratorType:
      return Type::Generator;
    default:
      return Type::Unsupported;
  }
}

/// Unwraps `T?`, `T[]`, `T?[]` down to T.
template <typename Plan>
void readType(const c10::TypePtr& declared, Plan& plan) {
  const c10::Type* type = declared.get();
  if (const auto* optional = type->castRaw<c10::OptionalType>()) {
    if constexpr (requires { plan.optional; }) plan.optional = true;
    type = optional->getElementType().get();
  }
  if (const auto* list = type->castRaw<c10::ListType>()) {
    plan.list = true;
    type = list->getElementType().get();
    if (const auto* optional = type->castRaw<c10::OptionalType>()) {
      if constexpr (requires { plan.optionalElements; }) plan.optionalElements = true;
      type = optional->getElementType().get();
    }
  }
  plan.type = typeOf(*type);
}

/// The name of the schema's alias set. A list (`Tensor(a!)[]`) has none of its own; its elements have.
std::string aliasSet(const c10::AliasInfo& alias) {
  const auto& sets = alias.beforeSets();
  return sets.size() == 1 ? std::string(sets.begin()->toUnqualString()) : std::string();
}

Parameter readParameter(const c10::Argument& argument) {
  Parameter parameter;
  parameter.name = argument.name();
  parameter.camelName = camelCase(argument.name());
  readType(argument.real_type(), parameter);
  parameter.keywordOnly = argument.kwarg_only();
  parameter.repeat = argument.N().value_or(0);
  parameter.defaultValue = argument.default_value();
  parameter.emptyIfNull = parameter.list && parameter.defaultValue && parameter.defaultValue->isList() &&
                          parameter.defaultValue->toListRef().empty();
  if (const auto* alias = argument.alias_info()) {
    parameter.written = alias->isWrite();
    if (parameter.written) parameter.alias = aliasSet(*alias);
  }
  return parameter;
}

Result readResult(const c10::Argument& returned, const std::vector<Parameter>& parameters) {
  Result result;
  readType(returned.real_type(), result);
  const auto* alias = returned.alias_info();
  if (alias == nullptr || !alias->isWrite()) return result;
  const std::string set = aliasSet(*alias);
  if (set.empty()) return result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].written && parameters[i].alias == set) result.written = static_cast<int>(i);
  }
  return result;
}

using NameTable = std::unordered_map<std::string, std::vector<c10::OperatorName>>;

const NameTable& operatorNames() {
  static const NameTable table = [] {
    NameTable names;
    for (auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
      if (name.name.starts_with("aten::")) names[name.name.substr(6)].push_back(std::move(name));
    }
    return names;
  }();
  return table;
}

/// Named tensors are a prototype that PyTorch gave up; their overloads take any string for a dimension.
bool takesDimensionNames(const c10::OperatorName& name) {
  return name.overload_name.find("imname") != std::string::npos ||
         name.overload_name.find("names") != std::string::npos;
}

/// Order of trial. Where two overloads fit the same arguments, the first wins: `out=` last, tensors before
/// scalars, one integer before a list of them, then the fewest parameters.
int rank(const Overload& overload) {
  int rank = 0;
  for (const auto& parameter : overload.parameters) {
    if (parameter.written && parameter.keywordOnly) rank += 10'000;
    if (parameter.type == Type::Number) rank += 100;
    if (parameter.type == Type::Int && parameter.list) rank += 10;
    ++rank;
  }
  return rank;
}

/// libtorch tags the operators whose results depend on elements. Indexing is tagged because of masks,
/// although indexing by integers does not wait.
Waits waitsOf(const c10::OperatorHandle& handle, std::string_view name) {
  if (contains(kCopies, name)) return Waits::BetweenKinds;
  if (!handle.hasTag(at::Tag::dynamic_output_shape) && !handle.hasTag(at::Tag::data_dependent_output)) {
    return Waits::Never;
  }
  return name.starts_with("index") || name.starts_with("_index_put") || name.starts_with("_unsafe_index")
             ? Waits::ForMask
             : Waits::Always;
}

/// Returns the name that users call: `index_select` -> `indexSelect`, `linalg_inv` -> `linalg.inv`.
std::string shownName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"cross_entropy_loss", "crossEntropy"},
      {"_spdiags", "sparse.spdiags"},
      {"col2im", "fold"},
      {"im2col", "unfold"}};
  for (const auto& [theirs, ours] : kOtherNames) {
    if (name == theirs) return std::string(ours);
  }
  if (name.starts_with("_sparse_")) name.remove_prefix(1);
  for (const std::string_view module : {"linalg", "fft", "special", "sparse"}) {
    if (name.starts_with(module) && name.substr(module.size()).starts_with('_'))
      return std::string(module) + "." + camelCase(name.substr(module.size() + 1));
  }
  return camelCase(name);
}

}  // namespace

std::string camelCase(std::string_view name) {
  std::string camel;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool joint = name[i] == '_' && i > 0 && i + 1 < name.size() && name[i + 1] != '_';
    if (joint) {
      camel += static_cast<char>(std::toupper(static_cast<unsigned char>(name[++i])));
    } else {
      camel += name[i];
    }
  }
  return camel;
}

Overload::Overload(const c10::OperatorHandle& operatorHandle) : handle(operatorHandle) {
  const c10::FunctionSchema& schema = handle.schema();
  int options = 0;
  for (const auto& argument : schema.arguments()) {
    parameters.push_back(readParameter(argument));
    const Parameter& parameter = parameters.back();
    if (!parameter.keywordOnly) ++positional;
    writes = writes || parameter.written;
    if (parameter.keywordOnly &&
        (parameter.name == "dtype" || parameter.name == "layout" || parameter.name == "device")) {
      ++options;
    }
  }
  factory = options == 3;
  const auto begin = std::find_if(parameters.begin(), parameters.end(), std::mem_fn(&Parameter::isOut));
  firstOut = static_cast<size_t>(begin - parameters.begin());
  outs = static_cast<size_t>(std::count_if(begin, parameters.end(), std::mem_fn(&Parameter::isOut)));
  if (outs == 1) outs = 0;
  for (const auto& returned : schema.returns()) {
    results.push_back(readResult(returned, parameters));
    if (!returned.name().empty()) resultNames.push_back(camelCase(returned.name()));
  }
  if (results.size() == 1 || resultNames.size() != results.size()) resultNames.clear();
  for (Parameter& parameter : parameters) parameter.unversioned = parameter.written;
  for (const Result& result : results)
    if (result.written >= 0) parameters[static_cast<size_t>(result.written)].unversioned = false;
  const std::string_view name = std::string_view(handle.operator_name().name).substr(6);
  for (Parameter& parameter : parameters)
    if (parameter.unversioned && parameter.name == "grads")
      parameter.writtenWith = schema.argumentIndexWithName("grad_scale").value_or(-1);
  if (contains(kWriteNoElements, name)) {
    for (Parameter& parameter : parameters) parameter.unversioned = false;
  }
  if (contains(kWrapNumbers, name)) {
    for (Parameter& parameter : parameters) {
      parameter.wrapsNumber = parameter.type == Type::Tensor && parameter.name == "other";
    }
  }
  for (Parameter& parameter : parameters)
    parameter.onHost = parameter.type == Type::Tensor && contains(kOnHost, parameter.name);
  draws = handle.hasTag(at::Tag::nondeterministic_seeded);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].type == Type::Generator) generator = static_cast<int>(i);
    if (parameters[i].type == Type::Device) device = static_cast<int>(i);
  }
  replacesStorage = handle.operator_name().name == "aten::set_";
  refuse = refusalOf(handle.operator_name());
  if (refuse == nullptr) direct = makeDirect(*this);
  mixesDevices = contains(kMixesDevices, name);
  waits = waitsOf(handle, name);
}

void Operator::load() {
  if (!overloads.empty()) return;
  for (const auto& overloadName : names) {
    if (auto handle = c10::Dispatcher::singleton().findSchema(overloadName)) overloads.emplace_back(*handle);
  }
  std::stable_sort(overloads.begin(), overloads.end(), [](const Overload& a, const Overload& b) {
    const int first = rank(a);
    const int second = rank(b);
    return first != second ? first < second
                           : a.handle.operator_name().overload_name < b.handle.operator_name().overload_name;
  });
}

std::unique_ptr<Operator> findOperator(const std::string& name) {
  const auto found = operatorNames().find(name);
  if (found == operatorNames().end()) return nullptr;
  auto result = std::make_unique<Operator>();
  result->name = shownName(name);
  for (const auto& candidate : found->second) {
    if (!takesDimensionNames(candidate)) result->names.push_back(candidate);
  }
  return result->names.empty() ? nullptr : std::move(result);
}

std::unique_ptr<Operator> findOverload(const std::string& name, const std::string& overload) {
  const c10::OperatorName wanted("aten::" + name, overload);
  if (!c10::Dispatcher::singleton().findSchema(wanted)) return nullptr;
  auto result = std::make_unique<Operator>();
  result->name = shownName(name);
  result->names.push_back(wanted);
  return result;
}

}  // namespace mpslab
