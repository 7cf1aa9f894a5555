// One thread that does what was launched, in order. A failure is kept until the host synchronizes, as Metal's
// command buffers report theirs (MPSStream::checkLastError); what was queued behind it still runs.
#include "queue.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

namespace mpslab::metal {
namespace {

/// A host that never reads would fill memory with work: beyond this it waits, and can be interrupted.
constexpr size_t kMostWaiting = 1024;

/// The same class of error, with a text that says whose it was.
std::exception_ptr named(const std::string& name) {
  const auto text = [&](const c10::Error& error) {
    return name + ", which was queued before, failed: " + error.what_without_backtrace();
  };
  try {
    throw;
  } catch (const c10::IndexError& error) {
    return std::make_exception_ptr(c10::IndexError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::ValueError& error) {
    return std::make_exception_ptr(c10::ValueError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::TypeError& error) {
    return std::make_exception_ptr(c10::TypeError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::OutOfMemoryError& error) {
    return std::make_exception_ptr(c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::Error& error) {
    return std::make_exception_ptr(c10::Error({__func__, __FILE__, __LINE__}, text(error)));
  } catch (...) {
    return std::current_exception();
  }
}

/// Whether this thread is the one that serves the queue.
thread_local bool serving = false;

}  // namespace

void Queue::start(bool queueing) {
  queueing_ = queueing;
  threads_ = at::get_num_threads();
  // Never joined: the process ends without waiting for what nobody reads.
  if (queueing) std::thread([this] { serve(); }).detach();
}

uint64_t Queue::launch(std::unique_ptr<Work> work) {
  if (!queueing_) {
    run(*work);
    return 0;
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::move(work));
  const uint64_t place = ++launched_;
  threads_ = at::get_num_threads();
  lock.unlock();
  arrived_.notify_one();
  if (waitsForEach_) waitFor(place);
  return place;
}

void Queue::run(Work& work) {
  WorkObserver* const observer = observer_;
  if (observer == nullptr) return work.run();
  const auto began = std::chrono::steady_clock::now();
  work.run();
  observer->done(work, began, std::chrono::steady_clock::now());
}

void Queue::observe(WorkObserver* observer, bool waitUntilCompleted) {
  observer_ = observer;
  waitsForEach_ = waitUntilCompleted;
}

void Queue::serve() {
  serving = true;
  int threads = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    arrived_.wait(lock, [this] { return !waiting_.empty(); });
    std::unique_ptr<Work> work = std::move(waiting_.front());
    waiting_.pop_front();
    const int wished = threads_;
    lock.unlock();
    // A thread's own setting, which follows the host's.
    if (wished != threads) at::set_num_threads(threads = wished);
    std::exception_ptr failure;
    try {
      run(*work);
    } catch (...) {
      failure = named(work->name());
    }
    work.reset();
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    ++finished_;
    done_.notify_all();
  }
}

void Queue::drain() {
  if (!queueing_ || serving) return;
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return finished_ == launched_; });
}

void Queue::synchronize() {
  drain();
  std::exception_ptr failure;
  {
    const std::lock_guard lock(mutex_);
    std::swap(failure, failure_);
  }
  if (failure) std::rethrow_exception(failure);
}

bool Queue::reached(uint64_t number) {
  const std::lock_guard lock(mutex_);
  return finished_ >= number;
}

void Queue::waitFor(uint64_t number) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return finished_ >= number; });
}

Queue& queue() {
  // Never destroyed: its thread outlives everything static.
  static auto* theQueue = new Queue;
  return *theQueue;
}

}  // namespace mpslab::metal
