// Lists the signatures that are called without boxing.
#include "call/direct.h"

#include <ATen/core/IListRef.h>
#include <ATen/core/jit_type.h>

#include <optional>
#include <tuple>
#include <utility>

#include "call/below_autograd.h"
#include "call/convert.h"
#include "call/resolve.h"
#include "tensor/tensor.h"

namespace mpslab {
namespace {

const Parameter& parameterAt(const BoundCall& bound, size_t index) {
  return bound.overload.parameters[index];
}

/// Returns the argument, or its default, or None. Making an IValue allocates memory only for lists and texts.
c10::IValue valueAt(const BoundCall& bound, size_t index) {
  const Parameter& parameter = parameterAt(bound, index);
  const Value* given = bound.binding.values[index];
  if (given != nullptr) return toIValue(bound.environment, *given, parameter, bound.where);
  return parameter.defaultValue ? *parameter.defaultValue : c10::IValue();
}

at::Tensor tensorAt(const BoundCall& bound, size_t index) {
  const Value* given = bound.binding.values[index];
  if (given != nullptr && given->handle != nullptr) return tensorOf(bound.environment, *given->handle);
  return valueAt(bound, index).toTensor();
}

Integers integersAt(const BoundCall& bound, size_t index) {
  const Value* given = bound.binding.values[index];
  if (given != nullptr) return toIntegers(bound.environment, *given, parameterAt(bound, index), bound.where);
  const auto list = valueAt(bound, index).toIntVector();
  return {list.begin(), list.end()};
}

Tensors tensorsAt(const BoundCall& bound, size_t index) {
  const Value* given = bound.binding.values[index];
  if (given != nullptr) return toTensors(bound.environment, *given, parameterAt(bound, index), bound.where);
  const auto list = valueAt(bound, index).toTensorVector();
  return {list.begin(), list.end()};
}

bool isNone(const BoundCall& bound, size_t index) {
  const Value* given = bound.binding.values[index];
  if (given != nullptr) return given->kind == Value::Kind::Null || given->kind == Value::Kind::Undefined;
  const auto& defaultValue = parameterAt(bound, index).defaultValue;
  return !defaultValue || defaultValue->isNone();
}

/// For a C++ type: how schemas write it, what holds the argument during the call, and what is passed to the
/// operator.
template <typename T>
struct Argument;

template <typename T, typename Held_ = T>
struct Unpacked {
  using Held = Held_;
  static Held read(const BoundCall& bound, size_t index) { return valueAt(bound, index).template to<Held>(); }
  static const Held& give(const Held& held) { return held; }
};

template <>
struct Argument<int64_t> : Unpacked<int64_t> {
  static constexpr std::string_view schema = "int";
};
template <>
struct Argument<double> : Unpacked<double> {
  static constexpr std::string_view schema = "float";
};
template <>
struct Argument<bool> : Unpacked<bool> {
  static constexpr std::string_view schema = "bool";
};
template <>
struct Argument<const at::Scalar&> : Unpacked<at::Scalar> {
  static constexpr std::string_view schema = "Scalar";
};
template <>
struct Argument<c10::string_view> : Unpacked<c10::string_view, std::string> {
  static constexpr std::string_view schema = "str";
};
template <>
struct Argument<const std::optional<at::Scalar>&> : Unpacked<std::optional<at::Scalar>> {
  static constexpr std::string_view schema = "Scalar?";
};
template <>
struct Argument<std::optional<int64_t>> : Unpacked<std::optional<int64_t>> {
  static constexpr std::string_view schema = "int?";
};
template <>
struct Argument<std::optional<at::ScalarType>> : Unpacked<std::optional<at::ScalarType>> {
  static constexpr std::string_view schema = "ScalarType?";
};
template <>
struct Argument<std::optional<at::MemoryFormat>> : Unpacked<std::optional<at::MemoryFormat>> {
  static constexpr std::string_view schema = "MemoryFormat?";
};

template <>
struct Argument<c10::SymInt> : Unpacked<c10::SymInt, int64_t> {
  static constexpr std::string_view schema = "SymInt";
};
template <>
struct Argument<std::optional<c10::SymInt>> : Unpacked<std::optional<c10::SymInt>, std::optional<int64_t>> {
  static constexpr std::string_view schema = "SymInt?";
};

template <>
struct Argument<const at::Tensor&> {
  static constexpr std::string_view schema = "Tensor";
  using Held = at::Tensor;
  static Held read(const BoundCall& bound, size_t index) { return tensorAt(bound, index); }
  static const at::Tensor& give(const Held& held) { return held; }
};
template <>
struct Argument<at::Tensor&> : Argument<const at::Tensor&> {
  static at::Tensor& give(Held& held) { return held; }
};
template <>
struct Argument<const std::optional<at::Tensor>&> {
  static constexpr std::string_view schema = "Tensor?";
  using Held = std::optional<at::Tensor>;
  static Held read(const BoundCall& bound, size_t index) {
    return isNone(bound, index) ? Held() : tensorAt(bound, index);
  }
  static const Held& give(const Held& held) { return held; }
};

template <>
struct Argument<at::TensorList> {
  static constexpr std::string_view schema = "Tensor[]";
  using Held = Tensors;
  static Held read(const BoundCall& bound, size_t index) { return tensorsAt(bound, index); }
  static at::TensorList give(const Held& held) { return held; }
};
template <>
struct Argument<const at::ITensorListRef&> : Argument<at::TensorList> {
  static at::ITensorListRef give(const Held& held) { return at::TensorList(held); }
};

template <>
struct Argument<at::IntArrayRef> {
  static constexpr std::string_view schema = "int[]";
  using Held = Integers;
  static Held read(const BoundCall& bound, size_t index) { return integersAt(bound, index); }
  static at::IntArrayRef give(const Held& held) { return held; }
};
template <>
struct Argument<c10::SymIntArrayRef> : Argument<at::IntArrayRef> {
  static constexpr std::string_view schema = "SymInt[]";
  static c10::SymIntArrayRef give(const Held& held) { return c10::fromIntArrayRefUnchecked(held); }
};
template <>
struct Argument<at::OptionalIntArrayRef> {
  static constexpr std::string_view schema = "int[]?";
  using Held = std::optional<Integers>;
  static Held read(const BoundCall& bound, size_t index) {
    return isNone(bound, index) ? Held() : integersAt(bound, index);
  }
  static at::OptionalIntArrayRef give(const Held& held) {
    return held ? at::OptionalIntArrayRef(std::in_place, *held) : at::OptionalIntArrayRef();
  }
};

template <typename Signature>
class Typed;

template <typename R, typename... Arguments>
class Typed<R(Arguments...)> final : public Direct {
 public:
  using Signature = R(Arguments...);

  explicit Typed(const c10::OperatorHandle& handle)
      : handle_(handle.typed<Signature>()), mayBeginBelowAutograd_(mayBeginBelowAutograd(handle)) {}

  static bool matches(const Overload& overload) {
    constexpr bool inPlace = std::is_same_v<R, at::Tensor&>;
    const auto& arguments = overload.handle.schema().arguments();
    if (arguments.size() != sizeof...(Arguments)) return false;
    size_t index = 0;
    for (const Parameter& parameter : overload.parameters) {
      if (parameter.written != (inPlace && index++ == 0)) return false;
    }
    index = 0;
    return ((arguments[index++].real_type()->str() == Argument<Arguments>::schema) && ...);
  }

  at::Tensor call(const BoundCall& bound) const override {
    return call(bound, std::index_sequence_for<Arguments...>());
  }

 private:
  template <size_t... Index>
  at::Tensor call(const BoundCall& bound, std::index_sequence<Index...>) const {
    // Braces: the arguments are read in their order.
    std::tuple<typename Argument<Arguments>::Held...> held{Argument<Arguments>::read(bound, Index)...};
    if (mayBeginBelowAutograd_ && (isPlain(std::get<Index>(held)) && ...) && threadIsPlain())
      return callBelowAutograd(handle_, Argument<Arguments>::give(std::get<Index>(held))...);
    return handle_.call(Argument<Arguments>::give(std::get<Index>(held))...);
  }

  c10::TypedOperatorHandle<Signature> handle_;
  bool mayBeginBelowAutograd_;
};

template <typename... Signatures>
struct Table {
  static std::shared_ptr<const Direct> find(const Overload& overload) {
    std::shared_ptr<const Direct> found;
    ((Typed<Signatures>::matches(overload) && (found = make<Typed<Signatures>>(overload.handle))) || ...);
    return found;
  }

 private:
  template <typename Known>
  static std::shared_ptr<const Direct> make(const c10::OperatorHandle& handle) {
    try {
      return std::make_shared<const Known>(handle);
    } catch (const c10::Error&) {
      // The C++ signature is not what the schema says: resize_as_sparse_ gives back a const Tensor&, and
      // structured kernels take lists of tensors as ITensorListRef.
      return nullptr;
    }
  }
};

using T = const at::Tensor&;
using S = const at::Scalar&;
using OptionalS = const std::optional<at::Scalar>&;
using OptionalT = const std::optional<at::Tensor>&;
using Out = at::Tensor;
using InPlace = at::Tensor&;
using Dtype = std::optional<at::ScalarType>;

using Known = Table<  //
    Out(T), Out(T, T), Out(T, T, S), Out(T, S), Out(T, S, S), Out(T, T, T), Out(T, T, T, S),
    Out(T, T, T, S, S), Out(T, T, OptionalT), Out(T, OptionalS, OptionalS), Out(T, c10::string_view),
    Out(T, Dtype), Out(T, std::optional<at::MemoryFormat>), Out(T, int64_t), Out(T, int64_t, int64_t),
    Out(T, int64_t, bool), Out(T, int64_t, Dtype), Out(T, int64_t, c10::SymInt),
    Out(T, int64_t, std::optional<c10::SymInt>, std::optional<c10::SymInt>, c10::SymInt),
    Out(T, std::optional<int64_t>, bool), Out(T, at::IntArrayRef), Out(T, at::IntArrayRef, bool),
    Out(T, c10::SymIntArrayRef), Out(T, at::OptionalIntArrayRef, bool, Dtype), Out(T, T, int64_t),
    Out(T, T, OptionalT, int64_t, c10::SymInt, double),  //
    Out(const at::ITensorListRef&, int64_t), Out(at::TensorList, int64_t), InPlace(InPlace),
    InPlace(InPlace, T), InPlace(InPlace, T, S), InPlace(InPlace, S), InPlace(InPlace, T, T, S),
    InPlace(InPlace, T, bool)>;

}  // namespace

std::shared_ptr<const Direct> makeDirect(const Overload& overload) {
  const bool returnsTensor =
      overload.results.size() == 1 && overload.results[0].type == Type::Tensor && !overload.results[0].list;
  if (!returnsTensor) return nullptr;
  return Known::find(overload);
}

}  // namespace mpslab
