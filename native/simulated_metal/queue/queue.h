// The simulated device's queue. Work runs in order on one thread, as on a Metal command queue, while the host
// goes on. A freed tensor's memory may be reused at once, because its next use is queued behind the last one.
// Only a read on the host, or giving memory back to the system, has to wait.
//
// The user may stop such a wait. Launched work is not stopped: as on a GPU it runs to its end, in order. So
// every tensor that a cell made holds what the cell computed, and the next read waits for it.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "addon/call_site.h"
#include "simulated_metal/queue/execution.h"

namespace mpslab::metal {

class Work {
 public:
  virtual ~Work() = default;
  virtual void run() = 0;
  /// The name that the message of a later failure has for this work: `aten::embedding`.
  virtual std::string name() const = 0;
  /// The place where it was launched, if that was kept.
  virtual std::shared_ptr<const CallSite> site() const { return nullptr; }

  /// Set if signposts or the profile log are on.
  std::unique_ptr<Execution> execution;
};

class Queue {
 public:
  /// Starts the queue. Without `queueing`, work runs and fails where it is launched. `whileWaiting` is called
  /// now and then on a thread that waits for the device; if it throws, the wait ends.
  void start(bool queueing, std::function<void()> whileWaiting);
  bool queueing() const { return queueing_; }

  /// Returns at once, unless so much is queued already that the host must wait for the device. Gives the
  /// work's place in the queue, for `reached` and `waitFor`.
  uint64_t launch(std::unique_ptr<Work> work);

  /// Waits until everything launched so far is done, then throws the first failure since the last time.
  void synchronize();
  /// Waits the same, but keeps the failure for the next `synchronize`.
  void drain();

  /// Waits the same at the end of the process, when the user can no longer stop the wait.
  void finish();

  /// Makes `launch` return only when its work is done.
  void waitForEach(bool wait) { waitsForEach_ = wait; }

  bool reached(uint64_t place);
  void waitFor(uint64_t place);

 private:
  struct Failure {
    std::exception_ptr error;
    std::string name;
    std::shared_ptr<const CallSite> site;
  };

  void serve();
  void waitFor(uint64_t place, std::unique_lock<std::mutex>& lock);
  static std::exception_ptr worded(const Failure& failure);

  bool queueing_ = false;
  std::function<void()> whileWaiting_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable done_;
  std::deque<std::unique_ptr<Work>> waiting_;
  uint64_t launched_ = 0;
  uint64_t finished_ = 0;
  /// The first place for which a thread waits. No thread is woken before it is reached.
  uint64_t awaited_ = UINT64_MAX;
  Failure failure_;
  int threads_ = 0;
  std::atomic<bool> waitsForEach_{false};
};

Queue& queue();

}  // namespace mpslab::metal
