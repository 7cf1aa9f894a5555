// Records the last operators and the memory in use, in a mapped file shared with the parent process. The
// parent reads it after a crash.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

namespace mpslab {

/// The file's beginning; `kernel/session/flight_record.ts` reads it. Names follow, each behind a byte of its
/// length.
struct FlightRecord {
  /// `kFlightRecordVersion` once an addon has mapped the file.
  std::atomic<uint32_t> version{0};
  /// The offset of the last operator's name in the file, times two, plus one while the operator runs. 0
  /// before the first.
  std::atomic<uint32_t> last{0};
  /// Bytes that live tensors asked for when it began, and bytes that the host allocator held from the system.
  std::atomic<int64_t> allocatedBytes{0};
  std::atomic<int64_t> heldBytes{0};
};

constexpr uint32_t kFlightRecordVersion = 0x6d706c31;
constexpr uint32_t kFlightRecordFileBytes = 256 * 1024;

/// Records for one environment. Until it has a file it writes into memory of its own that nothing reads: a
/// branch for each operator would cost more than the stores.
class FlightRecorder {
 public:
  /// One operator, from construction to destruction.
  class Entry {
   public:
    Entry(FlightRecorder& recorder, uint32_t name, int64_t allocatedBytes)
        : record_(*recorder.record_), name_(name), outer_(record_.last.load(std::memory_order_relaxed)) {
      record_.last.store(name * 2 + 1, std::memory_order_relaxed);
      record_.allocatedBytes.store(allocatedBytes, std::memory_order_relaxed);
    }
    /// If a hook called this operator inside of another one, the other one goes on.
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

  /// Maps the file, for good: an allocation of another thread may be writing into it. Returns false where the
  /// system refuses.
  bool open(int file);

  /// Returns the number of a name for `Entry`. 0 when there is no file, or no room in it.
  uint32_t addName(const std::string& name);

  /// Whether an operator, or a backward, runs.
  bool runs() const { return (record_->last.load(std::memory_order_relaxed) & 1) != 0; }

  /// The number of what is no operator, and runs thousands of them.
  uint32_t backward() const { return backward_; }

 private:
  FlightRecord unread_;
  FlightRecord* record_ = &unread_;
  uint32_t end_ = sizeof(FlightRecord);
  uint32_t backward_ = 0;
};

/// Bytes held from the system go to the last recorder that opened its file: an allocation has no environment.
void recordHeldBytes(int64_t bytes);

}  // namespace mpslab
