// Objects of the process that JavaScript knows by number, in any of its threads.
#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mpslab {

/// Must be held by a static pointer that is never deleted: when the process ends, destructors of connections
/// would wait.
template <typename Held>
class Numbered {
 public:
  uint32_t add(Held held) {
    const std::lock_guard lock(mutex_);
    held_.emplace(++last_, std::move(held));
    return last_;
  }

  std::optional<Held> find(uint32_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(number);
    if (found == held_.end()) return {};
    return found->second;
  }

  std::vector<Held> all() {
    const std::lock_guard lock(mutex_);
    std::vector<Held> every;
    every.reserve(held_.size());
    for (const auto& [number, held] : held_) every.push_back(held);
    return every;
  }

  /// Removes an object and returns it.
  std::optional<Held> take(uint32_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = held_.find(number);
    if (found == held_.end()) return {};
    std::optional<Held> held(std::move(found->second));
    held_.erase(found);
    return held;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<uint32_t, Held> held_;
  uint32_t last_ = 0;
};

}  // namespace mpslab
