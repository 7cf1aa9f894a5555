// The simulated device's random generator. Host kernels draw from it. With the same seed it gives the CPU's
// numbers, not those of Metal's Philox generator.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/ivalue.h>

#include <optional>

namespace mpslab::metal {

/// `torch.mps`'s default generator.
const at::Generator& defaultGenerator();
at::Generator newGenerator();

/// Returns the generator that a host kernel draws from, given the call's generator argument: none, or one of
/// the device.
at::Generator hostGenerator(const c10::IValue& given);

/// While it lives, the CPU's default generator has the state of the device's: for kernels that take none.
class DefaultGeneratorScope {
 public:
  explicit DefaultGeneratorScope(bool needed);
  ~DefaultGeneratorScope();
  DefaultGeneratorScope(const DefaultGeneratorScope&) = delete;
  DefaultGeneratorScope& operator=(const DefaultGeneratorScope&) = delete;

 private:
  std::optional<at::Tensor> saved_;
};

}  // namespace mpslab::metal
