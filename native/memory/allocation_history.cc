// Keeps the events in a ring under one lock. Blocks that live longer than the ring reaches are kept apart.
// Times are read from the processor's counter, which takes a third of the time of a clock.
#include "memory/allocation_history.h"

#include <c10/util/ApproximateClock.h>

#include <chrono>
#include <mutex>
#include <unordered_map>

namespace mpslab {

constinit thread_local Running running;
std::atomic<bool> recordsAllocations{false};

namespace {

/// The processor's counter and the clock, read together. c10 has a converter of its own, over std::function,
/// which wants a symbol that not every Mac's C++ library has.
struct Moment {
  double ticks;
  /// Since 1970.
  double microseconds;

  static Moment now() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return {static_cast<double>(c10::getApproximateTime()),
            std::chrono::duration<double, std::micro>(since).count()};
  }
};

struct Recorded {
  std::mutex mutex;
  /// A ring of as many events as are kept. Once it is full, the oldest event is at `next`.
  std::vector<AllocationEvent> ring;
  size_t next = 0;
  int64_t events = 0;
  /// By address: allocations that fell out of the ring.
  std::unordered_map<uint64_t, AllocationEvent> older;
  std::vector<std::string> operations;
  std::unordered_map<std::string, uint16_t> numbers;
  /// Not null while anything records.
  std::atomic<const PlaceReaders*> readers{nullptr};
  Moment began = Moment::now();

  bool isFull() const { return events >= static_cast<int64_t>(ring.size()); }
};

/// Never destroyed: tensors in static storage may be freed after the destructors of statics ran.
Recorded& recorded() {
  static auto* state = new Recorded;
  return *state;
}

uint16_t numberOf(Recorded& state, const std::string& name) {
  if (name.empty()) return 0;
  const auto found = state.numbers.find(name);
  if (found != state.numbers.end()) return found->second;
  if (state.operations.size() > UINT16_MAX) return 0;
  const auto number = static_cast<uint16_t>(state.operations.size());
  state.operations.push_back(name);
  state.numbers.emplace(name, number);
  return number;
}

void keepOlder(Recorded& state, const AllocationEvent& oldest) {
  const auto address = static_cast<uint64_t>(oldest.address);
  if (oldest.bytes < 0) {
    state.older.erase(address);
  } else {
    state.older.insert_or_assign(address, oldest);
  }
}

void record(const void* data, double bytes, c10::Device device, uint32_t place) {
  AllocationEvent event{};
  event.address = static_cast<double>(reinterpret_cast<uintptr_t>(data));
  event.bytes = bytes;
  event.time = static_cast<double>(c10::getApproximateTime());
  event.deviceType = static_cast<uint8_t>(device.type());
  event.deviceIndex = static_cast<uint8_t>(device.has_index() ? device.index() : 0);
  event.place = place;
  Recorded& state = recorded();
  // The node is asked for its name here. Observing nodes as they begin would cost more: libtorch makes up a
  // name for every observed node, and most nodes allocate nothing.
  const bool mayBeNode = running.name == nullptr || running.runsNodes;
  const std::string node = mayBeNode ? state.readers.load()->nameOfNode() : std::string();
  const std::lock_guard lock(state.mutex);
  // Another thread may have stopped the recording meanwhile.
  if (!recordsAllocations.load(std::memory_order_relaxed)) return;
  if (!node.empty()) {
    event.operation = numberOf(state, node);
  } else if (running.name != nullptr) {
    event.operation = numberOf(state, *running.name);
  }
  AllocationEvent& kept = state.ring[state.next];
  if (state.isFull()) keepOlder(state, kept);
  kept = event;
  if (++state.next == state.ring.size()) state.next = 0;
  ++state.events;
}

}  // namespace

void recordAllocation(const void* data, size_t bytes, c10::Device device) {
  record(data, static_cast<double>(bytes), device, recorded().readers.load()->ofAllocation(bytes));
}

void recordRelease(const void* data, size_t bytes, c10::Device device) {
  record(data, -static_cast<double>(bytes), device, 0);
}

void recordBackward() { recorded().readers.load()->beforeBackward(); }

void startAllocationHistory(size_t maxEvents, const PlaceReaders& readers) {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  state.ring.assign(maxEvents, AllocationEvent{});
  state.next = 0;
  state.events = 0;
  state.older.clear();
  state.operations = {""};
  state.numbers.clear();
  state.readers = &readers;
  state.began = Moment::now();
  recordsAllocations.store(true, std::memory_order_release);
}

void stopAllocationHistory() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  recordsAllocations.store(false, std::memory_order_release);
  std::vector<AllocationEvent>().swap(state.ring);
  state.next = 0;
  state.events = 0;
  state.older.clear();
}

AllocationHistory allocationHistory() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  AllocationHistory history;
  const auto next = state.ring.begin() + static_cast<std::ptrdiff_t>(state.next);
  if (state.isFull()) history.events.assign(next, state.ring.end());
  history.events.insert(history.events.end(), state.ring.begin(), next);
  for (const auto& [address, event] : state.older) history.olderBlocks.push_back(event);
  history.droppedEvents = state.events - static_cast<int64_t>(history.events.size());
  history.operations = state.operations;
  const Moment began = state.began, ended = Moment::now();
  const double ticks = ended.ticks - began.ticks;
  const double microsecondsOfTick = ticks == 0 ? 0 : (ended.microseconds - began.microseconds) / ticks;
  for (auto* events : {&history.events, &history.olderBlocks}) {
    for (AllocationEvent& event : *events)
      event.time = began.microseconds + (event.time - began.ticks) * microsecondsOfTick;
  }
  return history;
}

int64_t allocationEvents() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  return state.events;
}

}  // namespace mpslab
