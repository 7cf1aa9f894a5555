// Serializes the use of random numbers between threads. libtorch has one CPU generator in a process, while
// PyTorch's loader workers are processes with a generator each. So a worker thread keeps its own state, and
// swaps it into libtorch's generator while it holds the lock. Operators that draw take the lock once such a
// thread exists.
#pragma once
#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

namespace mpslab {

/// The generator state of one thread. As long as one exists, all threads that draw take turns.
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
  /// `own` is the worker thread's state, null for the session's thread.
  explicit GeneratorLock(ThreadGenerator* own);
  ~GeneratorLock();
  GeneratorLock(const GeneratorLock&) = delete;
  GeneratorLock& operator=(const GeneratorLock&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  ThreadGenerator* own_ = nullptr;
};

}  // namespace mpslab
