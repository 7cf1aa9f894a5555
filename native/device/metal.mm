// Implements device/metal.h on a Mac with PyTorch's own classes behind the hooks (ATen/mps). It is
// Objective-C++ only because their headers are.
#include "device/metal.h"

#include <ATen/mps/MPSDevice.h>
#include <ATen/mps/MPSProfiler.h>
#include <ATen/mps/MPSStream.h>

#include "device/autorelease_pool.h"

namespace mpslab {

std::string metalName() {
  const AutoreleasePool pool;
  return at::mps::MPSDevice::getInstance()->getName();
}

int64_t metalCoreCount() { return at::mps::MPSDevice::getInstance()->getCoreCount(); }

int64_t newMetalStream() {
  const AutoreleasePool pool;
  return at::mps::getStreamFromPool()->unwrap().id();
}

int64_t currentMetalStream() { return at::mps::getCurrentMPSStream()->unwrap().id(); }

void setCurrentMetalStream(int64_t stream) { at::mps::setCurrentMPSStream(at::mps::getStreamByID(stream)); }

void synchronizeMetalStream(int64_t stream) {
  // A stream's command buffer belongs to its queue, on which every operator encodes: committing it from here
  // would race with one of another thread. An error of the commands comes back as an exception.
  at::mps::MPSStream* waited = at::mps::getStreamByID(stream);
  at::mps::dispatch_sync_with_rethrow(waited->queue(), ^{
    waited->synchronize(at::mps::SyncType::COMMIT_AND_WAIT);
  });
}

bool metalCaptureEnabled() { return at::mps::getMPSProfiler().isCaptureEnabled(); }

bool isCapturingMetal() { return at::mps::getMPSProfiler().isCapturing(); }

void startMetalCapture(const std::string& name) {
  const AutoreleasePool pool;
  at::mps::getMPSProfiler().startCapture(name);
}

void stopMetalCapture() {
  const AutoreleasePool pool;
  at::mps::getMPSProfiler().stopCapture();
}

}  // namespace mpslab
