// Keeps the events in a queue under one lock. Blocks that live longer than the queue reaches are kept apart.
#include "memory/allocation_history.h"

#include <chrono>
#include <mutex>
#include <unordered_map>

namespace mpslab {

constinit thread_local const std::string* runningName = nullptr;
constinit thread_local uint64_t runningNumber = 0;
std::atomic<bool> recordsAllocations{false};

namespace {

struct Recorded {
  std::mutex mutex;
  size_t maxEvents = 0;
  int64_t droppedEvents = 0;
  std::deque<AllocationEvent> events;
  /// By address: allocations that fell out of `events`.
  std::unordered_map<uint64_t, AllocationEvent> older;
  std::vector<std::string> operations;
  std::unordered_map<std::string, uint16_t> numbers;
  PlaceReader placeOf;
};

/// Never destroyed: tensors in static storage may outlive it.
Recorded& recorded() {
  static auto* state = new Recorded;
  return *state;
}

uint16_t numberOf(Recorded& state, const std::string* name) {
  if (name == nullptr) return 0;
  const auto found = state.numbers.find(*name);
  if (found != state.numbers.end()) return found->second;
  if (state.operations.size() > UINT16_MAX) return 0;
  const auto number = static_cast<uint16_t>(state.operations.size());
  state.operations.push_back(*name);
  state.numbers.emplace(*name, number);
  return number;
}

void dropOldest(Recorded& state) {
  const AllocationEvent& oldest = state.events.front();
  const auto address = static_cast<uint64_t>(oldest.address);
  if (oldest.bytes < 0) {
    state.older.erase(address);
  } else {
    state.older.insert_or_assign(address, oldest);
  }
  state.events.pop_front();
  ++state.droppedEvents;
}

void record(const void* data, double bytes, c10::Device device, uint32_t place) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  AllocationEvent event{static_cast<double>(reinterpret_cast<uintptr_t>(data)),
                        bytes,
                        static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()),
                        0,
                        static_cast<uint8_t>(device.type()),
                        static_cast<uint8_t>(device.has_index() ? device.index() : 0),
                        place};
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  // It may have been stopped on another thread.
  if (!recordsAllocations.load(std::memory_order_relaxed)) return;
  event.operation = numberOf(state, runningName);
  if (state.events.size() == state.maxEvents) dropOldest(state);
  state.events.push_back(event);
}

}  // namespace

void recordAllocation(const void* data, size_t bytes, c10::Device device) {
  record(data, static_cast<double>(bytes), device, recorded().placeOf(bytes));
}

void recordRelease(const void* data, size_t bytes, c10::Device device) {
  record(data, -static_cast<double>(bytes), device, 0);
}

void startAllocationHistory(size_t maxEvents, PlaceReader reader) {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  state.maxEvents = maxEvents;
  state.droppedEvents = 0;
  state.events.clear();
  state.older.clear();
  state.operations = {""};
  state.numbers.clear();
  state.placeOf = std::move(reader);
  recordsAllocations.store(true, std::memory_order_release);
}

void stopAllocationHistory() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  recordsAllocations.store(false, std::memory_order_release);
  std::deque<AllocationEvent>().swap(state.events);
  state.older.clear();
}

AllocationHistory allocationHistory() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  AllocationHistory history{state.events, {}, state.droppedEvents, state.operations};
  for (const auto& [address, event] : state.older) history.olderBlocks.push_back(event);
  return history;
}

int64_t allocationEvents() {
  Recorded& state = recorded();
  const std::lock_guard lock(state.mutex);
  return state.droppedEvents + static_cast<int64_t>(state.events.size());
}

}  // namespace mpslab
