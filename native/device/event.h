// Markers in a device's queue. They tell when the device passed them, and the time between two.
#pragma once
#include <c10/core/Device.h>
#include <napi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace mpslab {

struct Environment;

/// A marker in the queue of any device. Recording it again moves it.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;
  /// Puts the marker behind everything that is queued now.
  virtual void record() = 0;
  /// Lets the work that is queued from now on run after the marker. The host does not wait.
  virtual void wait() = 0;
  /// Whether the device has passed the marker.
  virtual bool query() = 0;
  /// The host waits until the device has passed the marker.
  virtual void synchronize() = 0;
  /// Milliseconds from this marker to a later one of the same device; waits for both.
  virtual double elapsedMs(DeviceEvent& end) = 0;
};

std::unique_ptr<DeviceEvent> makeEvent(at::Device device, bool timing);

/// The event of a number. Throws TypeError for one that was released.
std::shared_ptr<DeviceEvent> eventOf(Environment& environment, Napi::Value number);

}  // namespace mpslab
