// Makes a stream of the device's pool current while it lives, because a graph cannot be captured on the
// default stream.
#pragma once
#include <ATen/DeviceAccelerator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <optional>
#include <unordered_map>

namespace mpslab::capture {

class SideStream {
 public:
  explicit SideStream(at::Device device)
      : guard_(device.type()), device_(device), stream_(streamOf(guard_, device)) {
    at::accelerator::synchronizeDevice(device.index());
    outerDevice_ = guard_.exchangeDevice(device);
    outer_ = guard_.exchangeStream(stream_);
  }
  ~SideStream() {
    guard_.exchangeStream(*outer_);
    guard_.exchangeDevice(*outerDevice_);
    // What comes next may use what this stream made.
    try {
      at::accelerator::synchronizeDevice(device_.index());
    } catch (...) {  // The next call tells it.
    }
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

 private:
  /// Returns the same stream for each capture on a device, so that all captures share the memory cached for
  /// that stream.
  static c10::Stream streamOf(const c10::impl::VirtualGuardImpl& guard, at::Device device) {
    thread_local std::unordered_map<at::DeviceIndex, c10::Stream> streams;
    const auto found = streams.find(device.index());
    if (found != streams.end()) return found->second;
    const c10::Stream stream = guard.getStreamFromGlobalPool(device, /*isHighPriority=*/false);
    streams.emplace(device.index(), stream);
    return stream;
  }

  c10::impl::VirtualGuardImpl guard_;
  at::Device device_;
  c10::Stream stream_;
  std::optional<c10::Stream> outer_;
  std::optional<at::Device> outerDevice_;
};

}  // namespace mpslab::capture
