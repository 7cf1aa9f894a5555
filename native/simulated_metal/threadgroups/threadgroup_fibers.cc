// Starts each stack with ucontext, which is portable, and then switches with _setjmp and _longjmp. Unlike
// swapcontext these make no system call, which is 20 times as fast. glibc's fortified longjmp refuses to
// change stacks, so CMakeLists.txt builds this file without it.
#include "simulated_metal/threadgroups/threadgroup_fibers.h"

#include <c10/util/Exception.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>

#include "simulated_metal/shading/abi.h"

namespace mpslab::metal {
namespace {

using mpslab_shader::kSimdWidth;

/// Metal gives a thread far less. Below the stack lies a page that ends the process if a thread needs more.
constexpr size_t kStackBytes = 128 * 1024;

}  // namespace

struct ThreadgroupFibers::Member {
  Member() {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    bytes = kStackBytes + page;
    stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK_WITH(OutOfMemoryError, stack != MAP_FAILED, "no memory for the stacks of a threadgroup");
    mprotect(stack, page, PROT_NONE);
    place = {static_cast<char*>(stack) + page, kStackBytes};
  }
  ~Member() {
    forgetFrames(place);
    munmap(stack, bytes);
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  void* stack;
  size_t bytes;
  /// The stack, for stack_switch.h.
  Stack place;
  ucontext_t start;
  jmp_buf turn;
  /// Whether the member is inside `enter`, so that it goes on from `turn`.
  bool started = false;
  State state = State::Done;
  int line = 0;
  bool finishing = false;
};

ThreadgroupFibers::ThreadgroupFibers() = default;
ThreadgroupFibers::~ThreadgroupFibers() = default;

ThreadgroupFibers& ThreadgroupFibers::ofThread() {
  thread_local ThreadgroupFibers fibers;
  return fibers;
}

ThreadgroupFibers::Member& ThreadgroupFibers::member(uint32_t index) {
  while (members_.size() <= index) members_.push_back(std::make_unique<Member>());
  return *members_[index];
}

/// The function that runs on a member's stack for its whole life: one kernel body after the other.
void ThreadgroupFibers::enter() {
  arrive(Stack{}, ofThread().schedulerStack_);
  for (;;) {
    ThreadgroupFibers& fibers = ofThread();
    try {
      (*fibers.body_)(fibers.current_);
    } catch (...) {
      if (!fibers.failure_) fibers.failure_ = std::current_exception();
    }
    fibers.members_[fibers.current_]->state = State::Done;
    fibers.takeBack();
  }
}

/// Switches to a member, and returns when it waits or is done.
void ThreadgroupFibers::give(uint32_t index) {
  current_ = index;
  Member& to = *members_[index];
  if (_setjmp(scheduler_) != 0) {
    arrive(schedulerStack_, members_[current_]->place);
    return;
  }
  if (!to.started) forgetFrames(to.place);
  leave(schedulerStack_, to.place);
  if (to.started) _longjmp(to.turn, 1);
  to.started = true;
  getcontext(&to.start);
  to.start.uc_stack.ss_sp = to.stack;
  to.start.uc_stack.ss_size = to.bytes;
  to.start.uc_link = nullptr;
  makecontext(&to.start, &ThreadgroupFibers::enter, 0);
  setcontext(&to.start);
}

/// Switches to the scheduler, until this member's next turn.
void ThreadgroupFibers::takeBack() {
  Member& self = *members_[current_];
  if (_setjmp(self.turn) == 0) {
    leave(self.place, schedulerStack_);
    _longjmp(scheduler_, 1);
  }
  arrive(self.place, schedulerStack_);
}

void ThreadgroupFibers::waitForGroup(int line) {
  Member& self = *members_[current_];
  self.state = State::AtGroupBarrier;
  self.line = line;
  takeBack();
}

void ThreadgroupFibers::waitForSimd(int line, bool finishing) {
  Member& self = *members_[current_];
  self.state = State::AtSimdBarrier;
  self.line = line;
  self.finishing = finishing;
  takeBack();
}

void ThreadgroupFibers::run(uint32_t count, const std::function<void(uint32_t)>& body) {
  for (uint32_t i = 0; i < count; ++i) member(i).state = State::Ready;
  count_ = count;
  body_ = &body;
  failure_ = nullptr;
  try {
    do {
      for (uint32_t i = 0; i < count && !failure_; ++i) {
        if (members_[i]->state == State::Ready) give(i);
      }
    } while (!failure_ && release());
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (!failure_) return;
  // After a failure, members that wait never go on; their stacks begin anew in the next run.
  for (uint32_t i = 0; i < count; ++i) {
    if (members_[i]->state != State::Done) members_[i]->started = false;
  }
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Called when no member is ready: lets those that have met at a barrier go on. Returns false if all are
/// done.
bool ThreadgroupFibers::release() {
  if (releaseSimdGroups()) return true;
  int line = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    Member& one = *members_[i];
    if (one.state == State::Done) continue;
    if (line != 0 && one.line != line) throwDifferentBarriers(line, one.line);
    line = one.line;
  }
  if (line == 0) return false;
  for (uint32_t i = 0; i < count_; ++i) {
    if (members_[i]->state != State::Done) members_[i]->state = State::Ready;
  }
  return true;
}

bool ThreadgroupFibers::releaseSimdGroups() {
  bool released = false;
  for (uint32_t group = 0; group * kSimdWidth < count_; ++group)
    released = releaseSimdGroup(group) || released;
  return released;
}

/// Lanes that finish an exchange go first. Otherwise those that wait at the first line of the source go,
/// because the others may meet them at a later line.
bool ThreadgroupFibers::releaseSimdGroup(uint32_t simdGroup) {
  const uint32_t first = simdGroup * kSimdWidth;
  const uint32_t end = std::min(first + kSimdWidth, count_);
  const Member* next = nullptr;
  for (uint32_t i = first; i < end; ++i) {
    const Member& one = *members_[i];
    if (one.state != State::AtSimdBarrier) continue;
    if (next == nullptr || std::pair(!one.finishing, one.line) < std::pair(!next->finishing, next->line))
      next = &one;
  }
  if (next == nullptr) return false;
  const bool finishing = next->finishing;
  const int line = next->line;
  if (active_.size() <= simdGroup) active_.resize(simdGroup + 1);
  active_[simdGroup] = 0;
  for (uint32_t i = first; i < end; ++i) {
    Member& one = *members_[i];
    if (one.state != State::AtSimdBarrier || one.finishing != finishing || one.line != line) continue;
    one.state = State::Ready;
    active_[simdGroup] |= 1u << (i - first);
  }
  return true;
}

void ThreadgroupFibers::throwDifferentBarriers(int first, int second) const {
  TORCH_CHECK_VALUE(false, "threads of a group wait for each other in lines ", std::min(first, second),
                    " and ", std::max(first, second), ": all of them must come to the same barriers");
}

char* ThreadgroupFibers::exchangeRoom(uint32_t simdGroup, size_t bytes) {
  if (rooms_.size() <= simdGroup) rooms_.resize(simdGroup + 1);
  std::vector<char>& room = rooms_[simdGroup];
  if (room.size() < bytes * kSimdWidth) room.resize(bytes * kSimdWidth);
  return room.data();
}

}  // namespace mpslab::metal
