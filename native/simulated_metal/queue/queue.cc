// Runs launched work in order on one thread. A failure is kept until the host synchronizes, as Metal's
// command buffers report theirs (MPSStream::checkLastError). Work queued behind it still runs.
#include "simulated_metal/queue/queue.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>

namespace mpslab::metal {
namespace {

/// The most work that may wait; without a limit, a host that never reads would fill memory with it. At the
/// limit the host waits until only kRoomAgain are left: waking it for each one would take a core from the
/// device's threads each time.
constexpr uint64_t kMostWaiting = 1024;
constexpr uint64_t kRoomAgain = kMostWaiting / 4;

/// How soon a wait ends when the user stops the cell.
constexpr auto kLookForStop = std::chrono::milliseconds(10);

/// Whether this thread is the one that serves the queue.
thread_local bool serving = false;

void run(Work& work) {
  runWatched(work.execution.get(), [&] { work.run(); });
}

}  // namespace

void Queue::start(bool queueing, std::function<void()> whileWaiting) {
  queueing_ = queueing;
  whileWaiting_ = std::move(whileWaiting);
  threads_ = at::get_num_threads();
  // Never joined: the process ends without waiting for results that nothing reads.
  if (queueing) std::thread([this] { serve(); }).detach();
}

uint64_t Queue::launch(std::unique_ptr<Work> work) {
  if (!queueing_) {
    run(*work);
    return 0;
  }
  std::unique_lock lock(mutex_);
  if (waiting_.size() >= kMostWaiting) waitFor(launched_ - kRoomAgain, lock);
  waiting_.push_back(std::move(work));
  const uint64_t place = ++launched_;
  threads_ = at::get_num_threads();
  lock.unlock();
  arrived_.notify_one();
  if (waitsForEach_) waitFor(place);
  return place;
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
    // The number of threads is a setting of each thread; this thread takes the host's.
    if (wished != threads) at::set_num_threads(threads = wished);
    Failure failure;
    try {
      run(*work);
    } catch (...) {
      failure = {std::current_exception(), work->name(), work->site()};
    }
    work.reset();
    lock.lock();
    if (failure.error && !failure_.error) failure_ = std::move(failure);
    if (++finished_ < awaited_) continue;
    awaited_ = UINT64_MAX;
    done_.notify_all();
  }
}

void Queue::waitFor(uint64_t place, std::unique_lock<std::mutex>& lock) {
  while (finished_ < place) {
    awaited_ = std::min(awaited_, place);
    if (done_.wait_for(lock, kLookForStop) == std::cv_status::no_timeout) continue;
    lock.unlock();
    whileWaiting_();
    lock.lock();
  }
}

void Queue::drain() {
  if (!queueing_ || serving) return;
  std::unique_lock lock(mutex_);
  waitFor(launched_, lock);
}

void Queue::finish() {
  std::unique_lock lock(mutex_);
  while (finished_ < launched_) {
    awaited_ = std::min(awaited_, launched_);
    done_.wait(lock);
  }
}

/// Makes an error of the same class whose text names the failed operator and its line. Must run on the thread
/// that waited, because only the thread that launched the operator can format the line.
std::exception_ptr Queue::worded(const Failure& failure) {
  const std::string place = failure.site ? failure.site->text() : "";
  const auto text = [&](const c10::Error& error) {
    return failure.name + ", which was queued " + (place.empty() ? "before" : "at " + place) +
           ", failed: " + error.what_without_backtrace();
  };
  try {
    std::rethrow_exception(failure.error);
  } catch (const c10::IndexError& error) {
    return std::make_exception_ptr(c10::IndexError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::LinAlgError& error) {
    return std::make_exception_ptr(c10::LinAlgError({__func__, __FILE__, __LINE__}, text(error)));
  } catch (const c10::NotImplementedError& error) {
    return std::make_exception_ptr(c10::NotImplementedError({__func__, __FILE__, __LINE__}, text(error)));
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

void Queue::synchronize() {
  drain();
  Failure failure;
  {
    const std::lock_guard lock(mutex_);
    std::swap(failure, failure_);
  }
  if (failure.error) std::rethrow_exception(worded(failure));
}

bool Queue::reached(uint64_t place) {
  const std::lock_guard lock(mutex_);
  return finished_ >= place;
}

void Queue::waitFor(uint64_t place) {
  std::unique_lock lock(mutex_);
  waitFor(place, lock);
}

Queue& queue() {
  // Never destroyed: its thread outlives everything static.
  static auto* theQueue = new Queue;
  return *theQueue;
}

}  // namespace mpslab::metal
