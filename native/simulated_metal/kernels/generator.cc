// Implements the generator over one of the host's. Its state is read and set once the queue no longer uses
// it.
#include "simulated_metal/kernels/generator.h"

#include <ATen/CPUGeneratorImpl.h>

#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

class DeviceGenerator final : public c10::GeneratorImpl {
 public:
  explicit DeviceGenerator(at::Generator host)
      : GeneratorImpl(c10::Device(c10::kMPS, 0), c10::DispatchKeySet(c10::DispatchKey::MPS)),
        host_(std::move(host)) {}

  static c10::DeviceType device_type() { return c10::kMPS; }

  void set_current_seed(uint64_t seed) override {
    queue().drain();
    host_.set_current_seed(seed);
  }
  void set_offset(uint64_t offset) override { host_.set_offset(offset); }
  uint64_t get_offset() const override { return host_.get_offset(); }
  uint64_t current_seed() const override { return host_.current_seed(); }
  uint64_t seed() override {
    queue().drain();
    return host_.seed();
  }
  void set_state(const c10::TensorImpl& state) override {
    queue().drain();
    host_.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    queue().drain();
    return host_.unsafeGetGeneratorImpl()->get_state();
  }

  const at::Generator& host() const { return host_; }

 private:
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(host_.clone()); }
  at::Generator host_;
};

at::Generator make(uint64_t seed) {
  return at::make_generator<DeviceGenerator>(at::detail::createCPUGenerator(seed));
}

const at::Generator& hostOf(const at::Generator& device) { return device.get<DeviceGenerator>()->host(); }

}  // namespace

const at::Generator& defaultGenerator() {
  static const auto* generator = new at::Generator(make(c10::default_rng_seed_val));
  return *generator;
}

at::Generator newGenerator() { return make(c10::default_rng_seed_val); }

at::Generator hostGenerator(const c10::IValue& given) {
  if (!given.isGenerator()) return hostOf(defaultGenerator());
  const at::Generator generator = given.toGenerator();
  return generator.device().is_mps() ? hostOf(generator) : generator;
}

DefaultGeneratorScope::DefaultGeneratorScope(bool needed) {
  if (!needed) return;
  at::Generator shared = at::detail::getDefaultCPUGenerator();
  saved_ = shared.get_state();
  shared.set_state(hostOf(defaultGenerator()).get_state());
}

DefaultGeneratorScope::~DefaultGeneratorScope() {
  if (!saved_) return;
  at::Generator shared = at::detail::getDefaultCPUGenerator();
  at::Generator own = hostOf(defaultGenerator());
  own.set_state(shared.get_state());
  shared.set_state(*saved_);
}

}  // namespace mpslab::metal
