// Implements events: Metal's through its hooks, CUDA's through libtorch's generic events. The CPU's read the
// host's clock, because its operators are done when they return.
#include "device/event.h"

#include <ATen/Context.h>
#include <ATen/detail/MPSHooksInterface.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>

#include "addon/guard.h"
#include "addon/waiting.h"
#include "device/devices.h"
#include "device/exports.h"

namespace mpslab {
namespace {

class HostEvent final : public DeviceEvent {
 public:
  void record() override { recorded_ = std::chrono::steady_clock::now(); }
  void wait() override {}
  bool query() override { return true; }
  void synchronize() override {}
  double elapsedMs(DeviceEvent& end) override {
    const auto between = static_cast<HostEvent&>(end).recorded_ - recorded_;
    return std::chrono::duration<double, std::milli>(between).count();
  }

 private:
  std::chrono::steady_clock::time_point recorded_;
};

/// torch.mps.event: PyTorch's own pool of events, by number.
class MetalEvent final : public DeviceEvent {
 public:
  explicit MetalEvent(bool timing) : id_(hooks().acquireEvent(timing)) {}
  ~MetalEvent() override { hooks().releaseEvent(id_); }
  MetalEvent(const MetalEvent&) = delete;
  MetalEvent& operator=(const MetalEvent&) = delete;

  void record() override { hooks().recordEvent(id_); }
  void wait() override { hooks().waitForEvent(id_); }
  bool query() override { return hooks().queryEvent(id_); }
  void synchronize() override { hooks().synchronizeEvent(id_); }
  double elapsedMs(DeviceEvent& end) override {
    return hooks().elapsedTimeOfEvents(id_, static_cast<MetalEvent&>(end).id_);
  }

 private:
  static const at::MPSHooksInterface& hooks() { return at::detail::getMPSHooks(); }
  uint32_t id_;
};

/// Events of a device with streams: of the current stream, the only one that this library uses.
class StreamEvent final : public DeviceEvent {
 public:
  StreamEvent(at::Device device, bool timing)
      : guard_(device.type()),
        device_(device),
        // The flags have libtorch's names: PYTORCH_DEFAULT is without timing, BACKEND_DEFAULT with it.
        event_(device.type(), timing ? c10::EventFlag::BACKEND_DEFAULT : c10::EventFlag::PYTORCH_DEFAULT) {}

  void record() override { event_.record(guard_.getStream(device_)); }
  void wait() override { event_.block(guard_.getStream(device_)); }
  bool query() override { return event_.query(); }
  void synchronize() override { event_.synchronize(); }
  double elapsedMs(DeviceEvent& end) override {
    auto& later = static_cast<StreamEvent&>(end);
    synchronize();
    later.synchronize();
    return event_.elapsedTime(later.event_);
  }

 private:
  c10::impl::VirtualGuardImpl guard_;
  at::Device device_;
  c10::Event event_;
};

Napi::Value acquireEvent(Environment& environment, const Napi::CallbackInfo& info) {
  const at::Device device = deviceArgument(environment, info[0], "Event");
  const uint32_t number = ++environment.lastEvent;
  environment.events.emplace(number, makeEvent(device, info[1].ToBoolean()));
  return Napi::Number::New(info.Env(), number);
}

Napi::Value releaseEvent(Environment& environment, const Napi::CallbackInfo& info) {
  environment.events.erase(info[0].ToNumber().Uint32Value());
  return info.Env().Undefined();
}

Napi::Value recordEvent(Environment& environment, const Napi::CallbackInfo& info) {
  eventOf(environment, info[0])->record();
  return info.Env().Undefined();
}

Napi::Value waitForEvent(Environment& environment, const Napi::CallbackInfo& info) {
  eventOf(environment, info[0])->wait();
  return info.Env().Undefined();
}

Napi::Value queryEvent(Environment& environment, const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), eventOf(environment, info[0])->query());
}

Napi::Value synchronizeEvent(Environment& environment, const Napi::CallbackInfo& info) {
  const auto event = eventOf(environment, info[0]);
  const Waiting waiting(environment);
  event->synchronize();
  return info.Env().Undefined();
}

Napi::Value elapsedMs(Environment& environment, const Napi::CallbackInfo& info) {
  const auto start = eventOf(environment, info[0]);
  const auto end = eventOf(environment, info[1]);
  const Waiting waiting(environment);
  return Napi::Number::New(info.Env(), start->elapsedMs(*end));
}

}  // namespace

std::unique_ptr<DeviceEvent> makeEvent(at::Device device, bool timing) {
  if (device.is_mps()) return std::make_unique<MetalEvent>(timing);
  if (device.is_cuda()) {
    at::globalContext().lazyInitDevice(at::kCUDA);
    return std::make_unique<StreamEvent>(device, timing);
  }
  return std::make_unique<HostEvent>();
}

std::shared_ptr<DeviceEvent> eventOf(Environment& environment, Napi::Value number) {
  const auto found = environment.events.find(number.ToNumber().Uint32Value());
  if (found == environment.events.end()) throwTypeError(environment, "The event was released.");
  return found->second;
}

void defineEvents(Environment& environment, Napi::Object exports) {
  define<acquireEvent>(environment, exports, "acquireEvent");
  define<releaseEvent>(environment, exports, "releaseEvent");
  define<recordEvent>(environment, exports, "recordEvent");
  define<waitForEvent>(environment, exports, "waitForEvent");
  define<queryEvent>(environment, exports, "queryEvent");
  define<synchronizeEvent>(environment, exports, "synchronizeEvent");
  define<elapsedMs>(environment, exports, "elapsedMs");
}

}  // namespace mpslab
