// Records allocations and releases of every device while a recording is on, with the operator that ran and
// the line of the user's code. Any thread may record. What a line is, is known to whoever started the
// recording
// (`call/memory_history.cc`). Off, an allocation pays for one relaxed load.
#pragma once
#include <c10/core/Device.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace mpslab {

/// What runs on a thread.
struct Running {
  /// The call's name, null between calls.
  const std::string* name = nullptr;
  /// No two calls share it.
  uint64_t number = 0;
  /// The call runs libtorch's engine: what allocates is a node, which has a name of its own.
  bool runsNodes = false;
};
extern constinit thread_local Running running;

/// A part of a call: it has a name of its own, and the call's line. The name must outlive it.
class RunningPart {
 public:
  explicit RunningPart(const std::string& name, bool runsNodes = false)
      : outerName_(running.name), outerRunsNodes_(running.runsNodes) {
    running.name = &name;
    running.runsNodes = runsNodes;
  }
  ~RunningPart() {
    running.name = outerName_;
    running.runsNodes = outerRunsNodes_;
  }
  RunningPart(const RunningPart&) = delete;
  RunningPart& operator=(const RunningPart&) = delete;

 private:
  const std::string* outerName_;
  bool outerRunsNodes_;
};

/// A call of JavaScript's into libtorch.
class RunningCall {
 public:
  explicit RunningCall(const std::string& name, bool runsNodes = false) : part_(name, runsNodes) {
    ++running.number;
  }
  /// The next allocation stands behind this call, even if it stands in the call around it.
  ~RunningCall() { ++running.number; }

 private:
  const RunningPart part_;
};

/// TypeScript reads it as bytes (`lib/lab/memory_snapshot/history.ts`).
struct AllocationEvent {
  /// A double holds it exactly.
  double address;
  /// Negative for a release.
  double bytes;
  /// Microseconds since 1970; while recording, ticks of the processor's counter.
  double time;
  /// Index into the recording's names; 0 for none.
  uint16_t operation;
  /// The device's type and index.
  uint8_t deviceType;
  uint8_t deviceIndex;
  /// What the recording's reader of places returned; 0 for a release.
  uint32_t place;
};
static_assert(sizeof(AllocationEvent) == 32);

struct AllocationHistory {
  /// The latest ones, the oldest first.
  std::vector<AllocationEvent> events;
  /// Allocations that fell out of `events` and were not released by an event that fell out too.
  std::vector<AllocationEvent> olderBlocks;
  int64_t droppedEvents = 0;
  std::vector<std::string> operations;
};

/// What the recording asks of whoever knows lines and nodes.
struct PlaceReaders {
  /// Returns a number for the line that runs, on the thread that allocates. It may run JavaScript.
  uint32_t (*ofAllocation)(size_t bytes);
  /// A backward begins on this thread. Its nodes may run on threads of libtorch's own, which know no lines.
  /// It may run JavaScript.
  void (*beforeBackward)();
  /// The name of the node that a backward runs on this thread, "" for none.
  std::string (*nameOfNode)();
};

/// Begins anew, and keeps the last `maxEvents`, for which it takes the memory at once: a page that is touched
/// first within a step would cost it more than the events do.
void startAllocationHistory(size_t maxEvents, const PlaceReaders& readers);
void stopAllocationHistory();
/// A copy of what was recorded so far.
AllocationHistory allocationHistory();
/// How many events there were so far, with those that fell out.
int64_t allocationEvents();

extern std::atomic<bool> recordsAllocations;
void recordAllocation(const void* data, size_t bytes, c10::Device device);
void recordRelease(const void* data, size_t bytes, c10::Device device);
void recordBackward();

/// Called when a block is complete and its allocator consistent: the reader of places may run the collector,
/// which frees other blocks. No lock may be held that another thread takes to release.
inline void noteAllocation(const void* data, size_t bytes, c10::Device device) {
  if (recordsAllocations.load(std::memory_order_relaxed)) [[unlikely]]
    recordAllocation(data, bytes, device);
}
/// Called before another allocation can get the block.
inline void noteRelease(const void* data, size_t bytes, c10::Device device) {
  if (recordsAllocations.load(std::memory_order_relaxed)) [[unlikely]]
    recordRelease(data, bytes, device);
}
inline void noteBackward() {
  if (recordsAllocations.load(std::memory_order_relaxed)) [[unlikely]]
    recordBackward();
}

}  // namespace mpslab
