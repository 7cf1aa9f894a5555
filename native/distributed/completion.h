// The end of an operation that runs on another thread. JavaScript's thread waits for it in short turns, so
// that Stop ends the wait, or is called back.
#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "addon/environment.h"

namespace mpslab {

/// Hears of the end of an operation.
struct CompletionListener {
  virtual ~CompletionListener() = default;
  virtual void done() = 0;
};

/// A year: the largest duration would overflow where it meets a clock.
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 365);

class Completion {
 public:
  /// Called once, on any thread. `failure`: the exception with which the operation ended.
  void finish(std::exception_ptr failure = nullptr);

  bool isDone();

  /// Waits on JavaScript's thread. Throws the failure; after `limit`, or if the user asks for it, an error of
  /// its own, and the operation goes on.
  void wait(Environment& environment, std::chrono::milliseconds limit = kNoLimit);

  /// Tells the listener on the thread that finishes, or here where that has happened.
  void whenDone(std::unique_ptr<CompletionListener> listener);

  /// The failure of a finished operation; nullptr for a success.
  std::exception_ptr failure();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::unique_ptr<CompletionListener> listener_;
};

/// Runs `work`, which may block, on a thread of its own. What it uses must be its own or shared: a caller
/// that is interrupted does not wait for it. A template: std::function wants a symbol that not every Mac's
/// C++ library has.
template <typename Work>
std::shared_ptr<Completion> runOnThread(Work work) {
  auto completion = std::make_shared<Completion>();
  std::thread([completion, held = std::make_optional(std::move(work))]() mutable {
    std::exception_ptr failure;
    try {
      (*held)();
    } catch (...) {
      failure = std::current_exception();
    }
    // What the work holds is released before anybody hears of the end.
    held.reset();
    completion->finish(std::move(failure));
  }).detach();
  return completion;
}

}  // namespace mpslab
