// Records the last operators and the memory in use, in a mapped file shared with the parent process. The
// parent reads it after a crash.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace mpslab {

/// The beginning of the file; `kernel/session/flight_record.ts` reads it. Names follow, each after a byte
/// with its length.
struct FlightRecord {
  /// `kFlightRecordVersion` once an addon has mapped the file.
  std::atomic<uint32_t> version{0};
  /// Twice the offset in the file of the last operator's name, plus one while the operator runs. 0 before the
  /// first operator.
  std::atomic<uint32_t> last{0};
  /// The bytes of live tensors when the last operator began, and the bytes that the host allocator holds from
  /// the system.
  std::atomic<int64_t> allocatedBytes{0};
  std::atomic<int64_t> heldBytes{0};
};

constexpr uint32_t kFlightRecordVersion = 0x6d706c31;
constexpr uint32_t kFlightRecordFileBytes = 256 * 1024;

/// Records for one environment. Until it has a file it writes into memory of its own that nothing reads: a
/// branch for each operator would cost more than the stores.
class FlightRecorder {
 public:
  /// Records one operator: it runs from construction to destruction.
  class Entry {
   public:
    Entry(FlightRecorder& recorder, uint32_t name, int64_t allocatedBytes)
        : record_(*recorder.record_), name_(name), outer_(record_.last.load(std::memory_order_relaxed)) {
      record_.last.store(name * 2 + 1, std::memory_order_relaxed);
      record_.allocatedBytes.store(allocatedBytes, std::memory_order_relaxed);
    }
    /// If a hook called this operator inside another one, the other one is the running operator again.
    ~Entry() { record_.last.store((outer_ & 1) != 0 ? outer_ : name_ * 2, std::memory_order_relaxed); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

   private:
    FlightRecord& record_;
    const uint32_t name_;
    const uint32_t outer_;
  };

  FlightRecorder() = default;
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;

  /// Maps the file and never unmaps it, because an allocation on another thread may be writing into it.
  /// Returns false if the system refuses.
  bool open(int file);

  /// Returns the number of a name for `Entry`. 0 when there is no file, or no room in it.
  uint32_t addName(const std::string& name);

  /// Whether an operator or a backward is running.
  bool runs() const { return (record_->last.load(std::memory_order_relaxed) & 1) != 0; }

  /// The number of a backward, which is not an operator but runs thousands of them.
  uint32_t backward() const { return backward_; }

 private:
  FlightRecord unread_;
  FlightRecord* record_ = &unread_;
  uint32_t end_ = sizeof(FlightRecord);
  uint32_t backward_ = 0;
};

/// Records the bytes that the host allocator holds, with the last recorder that opened its file: an
/// allocation belongs to no environment.
void recordHeldBytes(int64_t bytes);

}  // namespace mpslab
