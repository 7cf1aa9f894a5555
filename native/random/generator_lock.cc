// Swaps a worker's generator state into libtorch's default generator, and back.
#include "random/generator_lock.h"

#include <atomic>

namespace mpslab {
namespace {

std::atomic<int> threadGenerators{0};
/// Recursive: an operator that draws may run JavaScript (a hook, a collection's callback) that draws.
std::recursive_mutex turns;
/// Whether this thread's own state lies in libtorch's generator now.
thread_local bool exchanged = false;

at::CPUGeneratorImpl& implementation(const at::Generator& generator) {
  return *at::check_generator<at::CPUGeneratorImpl>(generator);
}

}  // namespace

ThreadGenerator::ThreadGenerator(uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {
  ++threadGenerators;
}

ThreadGenerator::~ThreadGenerator() { --threadGenerators; }

void ThreadGenerator::exchangeWithDefault() {
  at::Generator shared = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(shared.mutex());
  at::CPUGeneratorImpl& a = implementation(shared);
  at::CPUGeneratorImpl& b = implementation(generator_);
  const at::mt19937 engine = a.engine();
  const auto nextFloat = a.next_float_normal_sample();
  const auto nextDouble = a.next_double_normal_sample();
  a.set_engine(b.engine());
  a.set_next_float_normal_sample(b.next_float_normal_sample());
  a.set_next_double_normal_sample(b.next_double_normal_sample());
  b.set_engine(engine);
  b.set_next_float_normal_sample(nextFloat);
  b.set_next_double_normal_sample(nextDouble);
}

GeneratorLock::GeneratorLock(ThreadGenerator* own) {
  if (threadGenerators.load(std::memory_order_acquire) == 0) [[likely]]
    return;
  lock_ = std::unique_lock(turns);
  if (own == nullptr || exchanged) return;
  own_ = own;
  own->exchangeWithDefault();
  exchanged = true;
}

GeneratorLock::~GeneratorLock() {
  if (own_ == nullptr) return;
  own_->exchangeWithDefault();
  exchanged = false;
}

}  // namespace mpslab
