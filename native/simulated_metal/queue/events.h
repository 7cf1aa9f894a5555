// Events of the simulated device (torch.mps.event): markers in its queue, with the time when the device
// passed them.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace mpslab::metal {

class Events {
 public:
  uint32_t acquire(bool timing);
  void release(uint32_t event);
  /// Marks the end of what is queued now.
  void record(uint32_t event);
  bool query(uint32_t event);
  void synchronize(uint32_t event);
  /// Waits for both.
  double elapsedMs(uint32_t start, uint32_t end);

 private:
  using Clock = std::chrono::steady_clock;
  struct Marker {
    uint64_t place = 0;
    /// Written by the device's thread before it passes `place`.
    std::shared_ptr<Clock::time_point> passed;
  };
  Marker at(uint32_t event);

  std::mutex mutex_;
  uint32_t last_ = 0;
  std::unordered_map<uint32_t, Marker> markers_;
};

Events& events();

}  // namespace mpslab::metal
