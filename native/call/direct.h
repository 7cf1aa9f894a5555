// Calls operators with the commonest signatures without boxing. Packing the arguments into IValues takes a
// quarter of a small operator's time. All other signatures are boxed.
#pragma once
#include <ATen/core/Tensor.h>

#include <memory>
#include <string>

namespace mpslab {

struct Binding;
struct Environment;
struct Overload;

/// The arguments of one call, with what is needed to read them.
struct BoundCall {
  Environment& environment;
  /// The name with which messages begin: `add`.
  const std::string& where;
  const Overload& overload;
  const Binding& binding;
};

/// One overload of a known signature.
class Direct {
 public:
  virtual ~Direct() = default;
  virtual at::Tensor call(const BoundCall& bound) const = 0;
};

/// Returns nullptr if `direct.cc` does not list the overload's signature.
std::shared_ptr<const Direct> makeDirect(const Overload& overload);

}  // namespace mpslab
