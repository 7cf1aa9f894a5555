// Runs the threads of a threadgroup as fibers on one thread of the host. Each fiber has its own stack, and
// runs until it waits for the others. A kernel's barrier may stand in any loop or function, so a compiler
// that splits kernels at barriers (loop fission) would have to know the whole program; stacks need not.
#pragma once
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "simulated_metal/threadgroups/stack_switch.h"

namespace mpslab::metal {

class ThreadgroupFibers {
 public:
  ThreadgroupFibers();
  ~ThreadgroupFibers();
  ThreadgroupFibers(const ThreadgroupFibers&) = delete;
  ThreadgroupFibers& operator=(const ThreadgroupFibers&) = delete;

  /// Runs `body` for each of `count` threads. Throws the first failure of one; the others are given up.
  void run(uint32_t count, const std::function<void(uint32_t)>& body);

  /// Makes the running thread wait for the others of its group. `line` is the barrier's line in the source;
  /// threads that wait at different lines will never meet.
  void waitForGroup(int line);
  /// Makes the running thread wait for those of its SIMD-group that come to the same line. The others take no
  /// part, like lanes in another branch. With `finishing`, it waits for the threads with which it has just
  /// waited there.
  void waitForSimd(int line, bool finishing = false);

  uint32_t current() const { return current_; }
  /// A bit for each thread of the SIMD-group that took part in its last wait.
  uint32_t activeLanes(uint32_t simdGroup) const { return active_[simdGroup]; }
  /// Memory for a value of each lane. It is kept until the SIMD-group's next exchange.
  char* exchangeRoom(uint32_t simdGroup, size_t bytes);

  /// The fibers of the calling host thread.
  static ThreadgroupFibers& ofThread();

 private:
  enum class State { Ready, AtGroupBarrier, AtSimdBarrier, Done };
  struct Member;

  static void enter();
  void give(uint32_t index);
  void takeBack();
  bool release();
  bool releaseSimdGroups();
  bool releaseSimdGroup(uint32_t simdGroup);
  [[noreturn]] void throwDifferentBarriers(int first, int second) const;
  Member& member(uint32_t index);

  std::vector<std::unique_ptr<Member>> members_;
  const std::function<void(uint32_t)>* body_ = nullptr;
  uint32_t count_ = 0;
  uint32_t current_ = 0;
  jmp_buf scheduler_;
  Stack schedulerStack_;
  std::exception_ptr failure_;
  std::vector<std::vector<char>> rooms_;
  std::vector<uint32_t> active_;
};

}  // namespace mpslab::metal
