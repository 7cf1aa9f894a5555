// Signposts and the profile log. Sources in PyTorch: the option bits of ATen/mps/MPSProfiler.h. A trace that
// nobody stops keeps its last signposts, as Instruments' buffer does.
#include "signposts.h"

#include <c10/util/Exception.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>

#include "queue.h"

namespace mpslab::metal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostKept = 100'000;

// MPSProfiler::ProfileOptions and LogOptions.
constexpr long kAllEvents = 1, kAllIntervals = 2, kWaitUntilCompleted = 4;
constexpr long kOperationInfo = 1, kAllStats = 8, kOperationStats = 16, kIncludeGpuTime = 128;

double millisecondsBetween(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

class Profiler final : public WorkObserver {
 public:
  void start(bool intervals, bool events) {
    const std::lock_guard lock(mutex_);
    intervals_ = intervals;
    events_ = events;
    began_ = Clock::now();
    kept_.clear();
  }
  void stop() { start(false, false); }

  void log(long options) {
    const std::lock_guard lock(mutex_);
    log_ = options;
  }
  bool isIdle() {
    const std::lock_guard lock(mutex_);
    return !intervals_ && !events_ && log_ == 0;
  }

  std::vector<Signpost> kept() {
    const std::lock_guard lock(mutex_);
    return {kept_.begin(), kept_.end()};
  }
  void keep(std::vector<Signpost> earlier) {
    const std::lock_guard lock(mutex_);
    kept_.assign(earlier.begin(), earlier.end());
  }

  void done(const Work& work, Clock::time_point began, Clock::time_point ended) override {
    const std::string name = work.name();
    const double wallMs = millisecondsBetween(began, ended);
    const std::lock_guard lock(mutex_);
    if (intervals_) note({name, true, millisecondsBetween(began_, began), wallMs});
    if (events_) note({name, false, millisecondsBetween(began_, ended), 0});
    if (log_ == 0) return;
    Total& total = totals_[name];
    ++total.runs;
    total.wallMs += wallMs;
    if ((log_ & kOperationInfo) == 0) return;
    if ((log_ & kIncludeGpuTime) != 0)
      std::fprintf(stderr, "%s (run=%zu, [simulated GPU=%.3f ms])\n", name.c_str(), total.runs, wallMs);
    else
      std::fprintf(stderr, "%s (run=%zu)\n", name.c_str(), total.runs);
  }

  void printTotals() {
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "Operators of the simulated Metal device:\n%8s %12s  %s\n", "runs", "total ms",
                 "name");
    for (const auto& [name, total] : totals_)
      std::fprintf(stderr, "%8zu %12.3f  %s\n", total.runs, total.wallMs, name.c_str());
  }

 private:
  struct Total {
    size_t runs = 0;
    double wallMs = 0;
  };

  void note(Signpost signpost) {
    if (kept_.size() == kMostKept) kept_.pop_front();
    kept_.push_back(std::move(signpost));
  }

  std::mutex mutex_;
  bool intervals_ = false;
  bool events_ = false;
  long log_ = 0;
  Clock::time_point began_;
  std::deque<Signpost> kept_;
  std::map<std::string, Total> totals_;
};

Profiler& profiler() {
  static auto* theProfiler = new Profiler;
  return *theProfiler;
}

long bitsOf(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 0);
}

}  // namespace

void startSignposts(const std::string& mode, bool waitUntilCompleted) {
  const bool intervals = mode.find("interval") != std::string::npos;
  const bool events = mode.find("event") != std::string::npos;
  TORCH_CHECK_VALUE(intervals || events, "invalid signpost trace mode: ", mode);
  profiler().start(intervals, events);
  queue().observe(&profiler(), waitUntilCompleted);
}

void stopSignposts() {
  // What was launched before is part of the trace.
  queue().drain();
  const std::vector<Signpost> kept = profiler().kept();
  profiler().stop();
  profiler().keep(kept);
  if (profiler().isIdle())
    queue().observe(nullptr, false);
  else
    queue().observe(&profiler(), false);
}

std::vector<Signpost> signposts() { return profiler().kept(); }

void readProfilerEnvironment() {
  const long trace = bitsOf("PYTORCH_MPS_TRACE_SIGNPOSTS");
  const long log = bitsOf("PYTORCH_MPS_LOG_PROFILE_INFO");
  if (log != 0) {
    profiler().log(log);
    if ((log & (kAllStats | kOperationStats)) != 0) std::atexit([] { profiler().printTotals(); });
    queue().observe(&profiler(), false);
  }
  if ((trace & (kAllEvents | kAllIntervals)) != 0) {
    profiler().start((trace & kAllIntervals) != 0, (trace & kAllEvents) != 0);
    queue().observe(&profiler(), (trace & kWaitUntilCompleted) != 0);
  }
}

}  // namespace mpslab::metal
