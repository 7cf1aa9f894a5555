// Calls of the commonest signatures without boxing: a quarter of a small operator's time is packing its
// arguments into IValues. Everything else goes boxed. Knows signatures, not operators.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include <variant>

#include "environment.h"

namespace mpslab {

struct Binding;
struct Overload;

class Direct {
 public:
  Direct() = default;
  /// Empty where the signature is not one of those below.
  explicit Direct(const Overload& overload);

  explicit operator bool() const { return signature_.index() != 0; }

  at::Tensor call(Environment& environment, const std::string& where, const Overload& overload,
                  const Binding& binding) const;

 private:
  using Unary = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&)>;
  using Binary = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, const at::Tensor&)>;
  using BinaryScaled =
      c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&)>;
  using Sized = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, c10::SymIntArrayRef)>;
  using Reduction = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, std::optional<at::ScalarType>)>;

  std::variant<std::monostate, Unary, Binary, BinaryScaled, Sized, Reduction> signature_;
};

}  // namespace mpslab
