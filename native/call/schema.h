// Describes an operator's parameters and results, read once from libtorch's schemas into a compact plan.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "call/direct.h"
#include "call/refusals/refusals.h"

namespace mpslab {

enum class Type : uint8_t {
  Tensor,
  Int,
  Float,
  Bool,
  Number,
  String,
  Dtype,
  Layout,
  MemoryFormat,
  Device,
  Generator,
  Unsupported
};

struct Parameter {
  /// The schema's name and its camelCase: `keepdim`, `memory_format` and `memoryFormat`.
  std::string name;
  std::string camelName;
  Type type = Type::Unsupported;
  bool list = false;
  bool optional = false;
  bool optionalElements = false;
  bool keywordOnly = false;
  /// A list that is empty if it is not given, for which PyTorch takes None too: the stride of a pooling.
  bool emptyIfNull = false;
  /// `out=` and in-place arguments: the operator writes them.
  bool written = false;
  /// The operator writes it and does not return it, as fused optimizers do. libtorch raises the versions only
  /// of what an operator returns.
  bool unversioned = false;
  /// The position of the argument without which the operator does not write this one, -1 if there is none.
  /// Fused optimizers write gradients only if they are given a scale.
  int writtenWith = -1;
  /// A tensor for which a number may stand, as in Python's `x + 1`: it does not widen the other's dtype.
  bool wrapsNumber = false;
  /// Lengths that the host reads to plan the work. They are on the CPU, whatever the device of the other
  /// arguments.
  bool onHost = false;
  /// Length to which a single number is repeated (`int[2]`); 0 where a list must be given.
  int repeat = 0;
  /// Alias set of the schema (`a!` -> `a`), empty where there is none.
  std::string alias;
  std::optional<c10::IValue> defaultValue;

  bool required() const { return !defaultValue && !optional; }
  bool isOut() const { return written && keywordOnly; }
  bool named(std::string_view key) const { return key == camelName || key == name; }
};

struct Result {
  Type type = Type::Unsupported;
  bool list = false;
  /// Index of the parameter that is written and comes back, -1 for a new value.
  int written = -1;
};

/// When an operator on a device makes the host wait for that device.
enum class Waits : uint8_t {
  Never,
  /// Its result's shape, or a number that the host gets, depends on the elements.
  Always,
  /// The same, if an index is a mask.
  ForMask,
  /// A copy from one kind of device to another.
  BetweenKinds
};

struct Overload {
  explicit Overload(const c10::OperatorHandle& handle);

  c10::OperatorHandle handle;
  std::vector<Parameter> parameters;
  std::vector<Result> results;
  /// Names of several results, as users call them: `values`, `binEdges`. Empty where the schema names none.
  std::vector<std::string> resultNames;
  size_t positional = 0;
  /// Several `out=` arguments, which users give as one list: the index of the first, and how many there are.
  /// 0 if there is at most one.
  size_t firstOut = 0;
  size_t outs = 0;
  /// Takes dtype, layout, device: such an overload also takes `requiresGrad`, as PyTorch's factories do.
  bool factory = false;
  bool writes = false;
  /// Replaces a tensor's memory: `set_`.
  bool replacesStorage = false;
  /// Draws random numbers.
  bool draws = false;
  /// Indices of the parameters that name a generator and the device of what is made, -1 where there is none.
  int generator = -1;
  int device = -1;
  /// May be given tensors of different devices (`copy_`, indexing by CPU tensors).
  bool mixesDevices = false;
  Waits waits = Waits::Never;
  /// Checks for arguments that libtorch must not get. nullptr for nearly all operators.
  Refusal refuse = nullptr;
  /// The call without boxing. Empty if the signature is not a known one, or if `refuse` must see the
  /// arguments first.
  std::shared_ptr<const Direct> direct;
};

/// All overloads under one name, or one of them.
struct Operator {
  /// The name that users call, for messages: `indexSelect`, `linalg.inv`.
  std::string name;
  /// Its number in the flight recorder.
  uint32_t recorded = 0;
  std::vector<c10::OperatorName> names;
  std::vector<Overload> overloads;

  /// Reads the schemas at the first use: a session uses a few dozen of the thousand operators that it can
  /// name.
  void load();
};

/// Returns nullptr if libtorch has no operator of that name.
std::unique_ptr<Operator> findOperator(const std::string& name);
std::unique_ptr<Operator> findOverload(const std::string& name, const std::string& overload);

/// `memory_format` -> `memoryFormat`
std::string camelCase(std::string_view name);

}  // namespace mpslab
