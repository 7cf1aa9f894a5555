// Maps the flight recorder's file, and stores the names of operators in it.
#include "errors/flight_recorder.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace mpslab {
namespace {

std::atomic<FlightRecord*> recordOfProcess{nullptr};

}  // namespace

bool FlightRecorder::open(int file) {
  if (record_ != &unread_) return true;
  if (ftruncate(file, kFlightRecordFileBytes) != 0) return false;
  void* memory = mmap(nullptr, kFlightRecordFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return false;
  record_ = new (memory) FlightRecord;
  backward_ = addName("backward");
  record_->version.store(kFlightRecordVersion, std::memory_order_relaxed);
  recordOfProcess.store(record_, std::memory_order_release);
  return true;
}

uint32_t FlightRecorder::addName(const std::string& name) {
  if (record_ == &unread_ || name.size() > UINT8_MAX || end_ + 1 + name.size() > kFlightRecordFileBytes)
    return 0;
  const uint32_t start = end_;
  auto* bytes = reinterpret_cast<unsigned char*>(record_);
  bytes[start] = static_cast<unsigned char>(name.size());
  std::memcpy(bytes + start + 1, name.data(), name.size());
  end_ += 1 + static_cast<uint32_t>(name.size());
  return start;
}

void recordHeldBytes(int64_t bytes) {
  FlightRecord* record = recordOfProcess.load(std::memory_order_acquire);
  if (record != nullptr) record->heldBytes.store(bytes, std::memory_order_relaxed);
}

}  // namespace mpslab
