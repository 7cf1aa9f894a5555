// Waits for devices, and counts how long and how often the host has waited.
#pragma once
#include <chrono>

#include "addon/environment.h"

namespace mpslab {

/// Counts its own lifetime as one wait.
class Waiting {
 public:
  explicit Waiting(Environment& environment) : environment_(environment) {}
  ~Waiting() {
    const auto waited = std::chrono::steady_clock::now() - began_;
    environment_.waitedMs += std::chrono::duration<double, std::milli>(waited).count();
    ++environment_.waits;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Environment& environment_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

/// Waits until the device has done what was queued, and counts it.
void waitForDevice(Environment& environment, at::Device device);

/// Called in place of CUDA's own wait, which cannot be interrupted.
using CudaWait = void (*)(Environment& environment, at::Device device);

/// For a process whose GPU may wait for other processes. nullptr: CUDA's own wait.
void setCudaWait(CudaWait wait);

}  // namespace mpslab
