// Describes one execution on the simulated device for profilers: an operation of the queue, a copy, or an
// operator that ran on the CPU instead.
#pragma once
#include <chrono>
#include <cstddef>
#include <string>

namespace mpslab::metal {

struct Execution {
  using Clock = std::chrono::steady_clock;

  enum class Kind { Operation, Copy, Fallback };
  Kind kind;
  /// Executions of one name are summed: `aten::exp`, `MPS to CPU`.
  std::string name;
  /// The text of the log's lines, which names the tensors.
  std::string text;
  /// Bytes that a copy copied.
  size_t bytes = 0;
  /// Whether the host waited for it.
  bool blocking = false;
  /// Whether it went through the queue. If not, the host did it itself.
  bool queued = true;

  Clock::time_point launched = Clock::now();
  Clock::time_point began{};
  Clock::time_point ended{};

  /// Called on the thread that ran it, once `ended` is set.
  void (*onEnd)(const Execution&) = nullptr;

  /// Returns how long it waited in the queue. On a Mac this is the time that the driver takes to schedule a
  /// command buffer.
  double scheduledMs() const { return milliseconds(launched, began); }
  double ranMs() const { return milliseconds(began, ended); }

  static double milliseconds(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  }
};

/// Runs `body`, and records when it began and ended if `execution` is not null.
template <class Body>
void runWatched(Execution* execution, Body&& body) {
  if (execution == nullptr) return body();
  execution->began = Execution::Clock::now();
  body();
  execution->ended = Execution::Clock::now();
  if (execution->onEnd != nullptr) execution->onEnd(*execution);
}

}  // namespace mpslab::metal
