// What the simulated device's queue did and when: on a Mac OS signposts, which Xcode's Instruments show
// (ATen/mps/MPSProfiler.h). Here they are kept, for JavaScript to read. Knows no operator.
#pragma once
#include <string>
#include <vector>

namespace mpslab::metal {

struct Signpost {
  std::string name;
  /// An interval spans the work's time on the device; an event marks its end.
  bool interval;
  /// Since the trace was started.
  double beganMs;
  double wallMs;
};

/// `mode`: `interval`, `event`, or both apart by a comma. Waiting, each launch returns when its work is done.
void startSignposts(const std::string& mode, bool waitUntilCompleted);
void stopSignposts();

/// Of the last trace, in the order in which they were set.
std::vector<Signpost> signposts();

/// `PYTORCH_MPS_TRACE_SIGNPOSTS` and `PYTORCH_MPS_LOG_PROFILE_INFO`, as far as they speak of operators.
void readProfilerEnvironment();

}  // namespace mpslab::metal
