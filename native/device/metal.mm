// Implements device/metal.h on a Mac with PyTorch's own classes behind the hooks (ATen/mps). It is
// Objective-C++ only because their headers are.
#include "device/metal.h"

#include <ATen/mps/MPSDevice.h>
#include <ATen/mps/MPSProfiler.h>
#include <ATen/mps/MPSStream.h>

namespace mpslab {

std::string metalName() { return at::mps::MPSDevice::getInstance()->getName(); }

int64_t metalCoreCount() { return at::mps::MPSDevice::getInstance()->getCoreCount(); }

int64_t newMetalStream() { return at::mps::getStreamFromPool()->unwrap().id(); }

int64_t currentMetalStream() { return at::mps::getCurrentMPSStream()->unwrap().id(); }

void setCurrentMetalStream(int64_t stream) { at::mps::setCurrentMPSStream(at::mps::getStreamByID(stream)); }

void synchronizeMetalStream(int64_t stream) {
  at::mps::getStreamByID(stream)->synchronize(at::mps::SyncType::COMMIT_AND_WAIT);
}

bool metalCaptureEnabled() { return at::mps::getMPSProfiler().isCaptureEnabled(); }

bool isCapturingMetal() { return at::mps::getMPSProfiler().isCapturing(); }

void startMetalCapture(const std::string& name) { at::mps::getMPSProfiler().startCapture(name); }

void stopMetalCapture() { at::mps::getMPSProfiler().stopCapture(); }

}  // namespace mpslab
