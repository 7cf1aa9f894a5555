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

/// The call that runs on a thread.
struct Running {
  /// The call's name, null between calls.
  const std::string* name = nullptr;
  /// Different for every call.
  uint64_t number = 0;
  /// Whether the call runs libtorch's engine. Then a node allocates, and the node has a name of its own.
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

/// A call from JavaScript into libtorch.
class RunningCall {
 public:
  explicit RunningCall(const std::string& name, bool runsNodes = false) : part_(name, runsNodes) {
    ++running.number;
  }
  /// What is allocated next comes after this call, even within an enclosing call; so its line must be read
  /// anew.
  ~RunningCall() { ++running.number; }

 private:
  const RunningPart part_;
};

/// TypeScript reads these structs from their bytes (`lib/lab/memory_snapshot/history.ts`).
struct AllocationEvent {
  /// A double represents every address exactly.
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
  /// Allocations that were dropped from `events`, without those whose release was dropped too.
  std::vector<AllocationEvent> olderBlocks;
  int64_t droppedEvents = 0;
  std::vector<std::string> operations;
};

/// Functions for questions about lines and nodes, which this file cannot answer.
struct PlaceReaders {
  /// Returns a number for the line that runs, on the thread that allocates. It may run JavaScript.
  uint32_t (*ofAllocation)(size_t bytes);
  /// A backward begins on this thread. Its nodes may run on threads of libtorch's own, which know no lines.
  /// It may run JavaScript.
  void (*beforeBackward)();
  /// The name of the node that a backward runs on this thread, "" for none.
  std::string (*nameOfNode)();
};

/// Starts a new recording that keeps the last `maxEvents` events. Allocates and touches their memory at once:
/// touching a page for the first time within a step would cost the step more than recording the events does.
void startAllocationHistory(size_t maxEvents, const PlaceReaders& readers);
void stopAllocationHistory();
/// A copy of what was recorded so far.
AllocationHistory allocationHistory();
/// Returns how many events there were so far, including those that are no longer kept.
int64_t allocationEvents();

extern std::atomic<bool> recordsAllocations;
void recordAllocation(const void* data, size_t bytes, c10::Device device);
void recordRelease(const void* data, size_t bytes, c10::Device device);
void recordBackward();

/// Must be called when a block is complete and its allocator consistent, because the reader of lines may run
/// the collector, which frees other blocks. The caller must hold no lock that another thread takes to release
/// a block.
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
