// Random numbers of several threads. libtorch has one generator for the CPU in a process, while PyTorch's
// loader workers are processes with one each. So a worker thread keeps a state of its own, which lies in
// libtorch's generator only while the worker has its turn; operators that draw take turns as soon as there is
// such a thread.
#pragma once
#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace mpslab {

/// A thread's own state. Its existence makes all threads take turns.
class ThreadGenerator {
 public:
  explicit ThreadGenerator(uint64_t seed);
  ~ThreadGenerator();
  ThreadGenerator(const ThreadGenerator&) = delete;
  ThreadGenerator& operator=(const ThreadGenerator&) = delete;

 private:
  friend class GeneratorLock;
  void exchangeWithDefault();
  at::Generator generator_;
};

/// Held while random numbers are drawn, or a generator's state is read or set.
class GeneratorLock {
 public:
  /// `own` is the thread's, null for the session's.
  explicit GeneratorLock(ThreadGenerator* own);
  ~GeneratorLock();
  GeneratorLock(const GeneratorLock&) = delete;
  GeneratorLock& operator=(const GeneratorLock&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  ThreadGenerator* own_ = nullptr;
};

}  // namespace mpslab
