// Implements completions with a condition variable.
#include "distributed/completion.h"

#include <chrono>
#include <stdexcept>
#include <string>

namespace mpslab {
namespace {

/// How long Stop may have to wait until the waiting thread notices it.
constexpr std::chrono::milliseconds kStopDelay{10};

}  // namespace

void Completion::finish(std::exception_ptr failure) {
  std::unique_ptr<CompletionListener> listener;
  {
    const std::lock_guard lock(mutex_);
    if (done_) return;
    done_ = true;
    failure_ = std::move(failure);
    listener.swap(listener_);
  }
  ended_.notify_all();
  if (listener) listener->done();
}

bool Completion::isDone() {
  const std::lock_guard lock(mutex_);
  return done_;
}

std::exception_ptr Completion::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Completion::wait(Environment& environment, std::chrono::milliseconds limit) {
  const auto began = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kStopDelay, [this] { return done_; })) {
    lock.unlock();
    environment.checkStop();
    if (std::chrono::steady_clock::now() - began > limit)
      throw std::runtime_error("Timed out after " + std::to_string(limit.count()) + "ms");
    lock.lock();
  }
  if (failure_) std::rethrow_exception(failure_);
}

void Completion::whenDone(std::unique_ptr<CompletionListener> listener) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) {
      listener_ = std::move(listener);
      return;
    }
  }
  listener->done();
}

}  // namespace mpslab
