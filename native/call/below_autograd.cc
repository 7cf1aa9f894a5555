// Decides which operators may be called below autograd.
#include "call/below_autograd.h"

#include <algorithm>

namespace mpslab {

bool mayBeginBelowAutograd(const c10::OperatorHandle& op) {
  using c10::DispatchKey;
  const auto& schema = op.schema();
  const auto aliases = [](const c10::Argument& argument) { return argument.alias_info() != nullptr; };
  const auto alias = [&](const auto& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), aliases);
  };
  return op.hasKernelForDispatchKey(DispatchKey::Autograd) && op.hasKernelForDispatchKey(DispatchKey::CPU) &&
         !op.hasKernelForDispatchKey(DispatchKey::AutogradCPU) && !alias(schema.arguments()) &&
         !alias(schema.returns());
}

}  // namespace mpslab
