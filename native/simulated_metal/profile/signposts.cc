// Selects the signposts that are on, and keeps the latest. A trace that is never stopped keeps no more than
// that, like Instruments' buffer.
#include "simulated_metal/profile/signposts.h"

#include <c10/util/Exception.h>

namespace mpslab::metal {
namespace {

constexpr size_t kMostKept = 100'000;

// The bits of MPSProfiler::ProfileOptions. Those of SignpostTypes begin at bit 16: operations, copies and
// fallbacks.
constexpr long kAllEvents = 1, kAllIntervals = 2, kWaitUntilCompleted = 4, kIncludeScheduling = 8,
               kUseIntervals = 16, kUseEvents = 32, kAllOptions = 63;
/// The names of operations, copies and fallbacks, in the order of Execution::Kind.
constexpr unsigned kFirstKind = 16;
constexpr long kAllKinds = 7;

}  // namespace

void Signposts::start(long bits) {
  long options = bits & 0xFFFF;
  long kinds = bits >> kFirstKind;
  TORCH_CHECK_VALUE(bits >= 0 && options <= kAllOptions, "invalid profiling options ", bits,
                    " passed to PYTORCH_MPS_TRACE_SIGNPOSTS");
  TORCH_CHECK_VALUE(kinds <= kAllKinds, "invalid signpost types ", bits,
                    " passed to PYTORCH_MPS_TRACE_SIGNPOSTS");
  const bool scheduling = (options & kIncludeScheduling) != 0;
  if (kinds == 0 && scheduling) options |= kAllIntervals;
  if ((options & (kAllEvents | kAllIntervals)) != 0) {
    kinds = kAllKinds;
    if ((options & kAllEvents) != 0) options |= kUseEvents;
    if ((options & kAllIntervals) != 0) options |= kUseIntervals;
  }
  if (kinds == 0) return stop();
  if ((options & (kUseEvents | kUseIntervals)) == 0) options |= kUseIntervals;
  TORCH_CHECK_VALUE(!scheduling || (options & kUseIntervals) != 0,
                    "the option 'INCLUDE_SCHEDULE_INTERVAL' only works for interval-based signposts");
  kinds_ = static_cast<unsigned>(kinds);
  intervals_ = (options & kUseIntervals) != 0;
  events_ = (options & kUseEvents) != 0;
  fromLaunch_ = scheduling;
  waits_ = (options & kWaitUntilCompleted) != 0;
  began_ = Execution::Clock::now();
  kept_.clear();
}

void Signposts::start(const std::string& mode, bool waitUntilCompleted) {
  TORCH_CHECK(!on(), "Tracing Signposts is already enabled");
  const bool intervals = mode.find("interval") != std::string::npos;
  const bool events = mode.find("event") != std::string::npos;
  TORCH_CHECK_VALUE(intervals || events, "Invalid Signpost trace mode: ", mode);
  start((intervals ? kAllIntervals : 0) | (events ? kAllEvents : 0) |
        (waitUntilCompleted ? kWaitUntilCompleted : 0));
}

void Signposts::stop() {
  kinds_ = 0;
  waits_ = false;
}

void Signposts::note(const Execution& execution) {
  const auto began = fromLaunch_ ? execution.launched : execution.began;
  const auto since = [&](Execution::Clock::time_point time) { return Execution::milliseconds(began_, time); };
  if (intervals_) {
    keep({execution.name, execution.kind, true, since(began),
          Execution::milliseconds(began, execution.ended)});
  }
  if (events_) keep({execution.name, execution.kind, false, since(execution.ended), 0});
}

void Signposts::keep(Signpost signpost) {
  if (kept_.size() == kMostKept) kept_.pop_front();
  kept_.push_back(std::move(signpost));
}

}  // namespace mpslab::metal
