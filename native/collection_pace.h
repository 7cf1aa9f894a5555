// When the collector should look at young wrappers, though V8 itself sees no need yet. V8 counts its own
// heap: it collects the young generation once 4 to 16 MB are full, which is after some 66,000 wrappers, whose
// tensors by then fill 50 MB and more of malloc's memory. An operator whose tensors stay within the
// processor's caches is a fifth to a half faster (view of 256 numbers: 2.2 us without, 1.2 with), and large
// blocks come back for reuse before new ones are mapped. A young collection costs from 70 us. Knows no
// JavaScript.
#pragma once
#include <algorithm>
#include <cstdint>

namespace mpslab {

class CollectionPace {
 public:
  bool due(int64_t wrappers, int64_t bytes) const {
    return wrappers >= wrappers_.limit || bytes >= bytes_.limit;
  }

  /// What is held after a collection, or after something was freed otherwise.
  void collected(int64_t wrappers, int64_t bytes) {
    wrappers_.limit = wrappers_.above(wrappers);
    bytes_.limit = bytes_.above(bytes);
  }
  void freed(int64_t wrappers, int64_t bytes) {
    wrappers_.limit = std::min(wrappers_.limit, wrappers_.above(wrappers));
    bytes_.limit = std::min(bytes_.limit, bytes_.above(bytes));
  }

 private:
  struct Measure {
    int64_t step;
    int64_t limit = step;
    /// A quarter more than is held: a program that keeps all that it makes is collected ever more rarely.
    int64_t above(int64_t held) const { return held + std::max(step, held / 4); }
  };
  Measure wrappers_{4096};
  Measure bytes_{int64_t{16} * 1024 * 1024};
};

}  // namespace mpslab
