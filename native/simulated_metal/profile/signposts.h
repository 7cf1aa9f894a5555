// Records what the simulated device did, and when. On a Mac these are OS signposts, which Xcode's Instruments
// show (ATen/mps/MPSProfiler.h). Here they are kept for JavaScript to read.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "simulated_metal/queue/execution.h"

namespace mpslab::metal {

struct Signpost {
  std::string name;
  Execution::Kind kind;
  /// An interval spans the work's time on the device; an event marks its end.
  bool interval;
  /// Milliseconds since the trace was started.
  double beganMs;
  double wallMs;
};

/// Not thread-safe.
class Signposts {
 public:
  /// The bits of `PYTORCH_MPS_TRACE_SIGNPOSTS`. Throws c10::ValueError for those that PyTorch does not have.
  void start(long bits);
  /// `mode` is `interval`, `event`, or both separated by a comma. Throws c10::Error if a trace is running.
  void start(const std::string& mode, bool waitUntilCompleted);
  void stop();

  bool on() const { return kinds_ != 0; }
  bool waits() const { return waits_; }
  bool tells(Execution::Kind kind) const { return (kinds_ & 1U << static_cast<unsigned>(kind)) != 0; }
  void note(const Execution& execution);

  /// The signposts of the last trace, in the order in which they were set.
  std::vector<Signpost> kept() const { return {kept_.begin(), kept_.end()}; }

 private:
  void keep(Signpost signpost);

  unsigned kinds_ = 0;
  bool intervals_ = false;
  bool events_ = false;
  bool fromLaunch_ = false;
  bool waits_ = false;
  Execution::Clock::time_point began_;
  std::deque<Signpost> kept_;
};

}  // namespace mpslab::metal
