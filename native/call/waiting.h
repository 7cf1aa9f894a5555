// How long the host has waited for devices. Knows which calls wait only as far as their schema and arguments
// tell.
#pragma once
#include <chrono>

#include "addon/environment.h"
#include "call/resolve.h"

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

/// An operator whose result the host needs (`nonzero`, indexing by a mask, a copy to another kind of device)
/// would wait inside libtorch, where nobody can tell waiting from work: so the wait is taken here, before it.
void waitBeforeOperator(Environment& environment, const Overload& overload, const Binding& binding);

void defineWaiting(Environment& environment, Napi::Object exports);

}  // namespace mpslab
