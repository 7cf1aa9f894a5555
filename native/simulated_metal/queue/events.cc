// Records, queries and waits for markers in the queue.
#include "simulated_metal/queue/events.h"

#include "simulated_metal/queue/queue.h"

namespace mpslab::metal {
namespace {

using Clock = std::chrono::steady_clock;

class MarkerWork final : public Work {
 public:
  explicit MarkerWork(std::shared_ptr<Clock::time_point> passed) : passed_(std::move(passed)) {}
  void run() override { *passed_ = Clock::now(); }
  std::string name() const override { return "an event"; }

 private:
  std::shared_ptr<Clock::time_point> passed_;
};

}  // namespace

uint32_t Events::acquire(bool) {
  const std::lock_guard lock(mutex_);
  markers_[++last_];
  return last_;
}

void Events::release(uint32_t event) {
  const std::lock_guard lock(mutex_);
  markers_.erase(event);
}

Events::Marker Events::at(uint32_t event) {
  const std::lock_guard lock(mutex_);
  return markers_.at(event);
}

void Events::record(uint32_t event) {
  Marker marker{0, std::make_shared<Clock::time_point>()};
  marker.place = queue().launch(std::make_unique<MarkerWork>(marker.passed));
  const std::lock_guard lock(mutex_);
  markers_[event] = std::move(marker);
}

bool Events::query(uint32_t event) { return queue().reached(at(event).place); }

void Events::synchronize(uint32_t event) { queue().waitFor(at(event).place); }

double Events::elapsedMs(uint32_t start, uint32_t end) {
  const Marker first = at(start);
  const Marker last = at(end);
  queue().waitFor(std::max(first.place, last.place));
  return std::chrono::duration<double, std::milli>(*last.passed - *first.passed).count();
}

Events& events() {
  static auto* theEvents = new Events;
  return *theEvents;
}

}  // namespace mpslab::metal
