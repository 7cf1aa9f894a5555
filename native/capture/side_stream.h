// A stream of a device's pool, current as long as this lives: a graph cannot be captured on the default one.
#pragma once
#include <ATen/DeviceAccelerator.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace mpslab::capture {

class SideStream {
 public:
  explicit SideStream(at::Device device)
      : guard_(device.type()), device_(device), stream_(streamOf(guard_, device)) {
    at::accelerator::synchronizeDevice(device.index());
    outer_ = guard_.exchangeStream(stream_);
  }
  ~SideStream() {
    guard_.exchangeStream(*outer_);
    // What comes next may use what this stream made.
    try {
      at::accelerator::synchronizeDevice(device_.index());
    } catch (...) {  // The next call tells it.
    }
  }
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;

 private:
  /// The same for each capture, so that its cached memory serves all.
  static c10::Stream streamOf(const c10::impl::VirtualGuardImpl& guard, at::Device device) {
    static const c10::Stream stream = guard.getStreamFromGlobalPool(device, /*isHighPriority=*/false);
    return stream;
  }

  c10::impl::VirtualGuardImpl guard_;
  at::Device device_;
  c10::Stream stream_;
  std::optional<c10::Stream> outer_;
};

}  // namespace mpslab::capture
