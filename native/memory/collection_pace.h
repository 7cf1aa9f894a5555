// Decides when to run the collector on young wrappers, though V8 itself sees no need yet. V8 counts its own
// heap: it collects the young generation once 4 to 16 MB are full, which is after some 66,000 wrappers, whose
// tensors by then fill 50 MB and more of malloc's memory. An operator whose tensors stay within the
// processor's caches is a fifth to a half faster (view of 256 numbers: 2.2 us without, 1.2 with), and large
// blocks come back for reuse before new ones are mapped. A young collection costs from 70 us.
//
// A full collection is for wrappers that outlived two young ones; it takes 10 to 40 ms. V8 would start one
// whenever the bytes that are reported to it have grown by 64 MiB since the last: the forward pass of each
// step of a larger model, whose activations are in use (a ViT-tiny's forward took 116 ms of processor time
// for 92). So nothing is reported to V8, and a full collection runs once 1.5 times as much is held as the
// last one left.
#pragma once
#include <algorithm>
#include <cstdint>

namespace mpslab {

class CollectionPace {
 public:
  bool due(int64_t wrappers, int64_t bytes) const {
    const int64_t newWrappers = wrappers - wrappers_;
    const int64_t newBytes = bytes - bytes_;
    // At least a quarter of what is held must be new, so that a program that keeps all it makes is collected
    // ever more rarely.
    const auto reaches = [](int64_t made, int64_t step, int64_t held) {
      return made >= std::max(step, held / 4);
    };
    if (reaches(newWrappers, kWrappers, wrappers_) || reaches(newBytes, kBytes, bytes_)) return true;
    return reaches(newBytes, kCacheBytes, bytes_) && reaches(newWrappers, kFewWrappers, wrappers_);
  }

  /// Sets what is held after a collection. `freed` lowers it when something was freed in another way.
  void collected(int64_t wrappers, int64_t bytes) {
    wrappers_ = wrappers;
    bytes_ = bytes;
  }
  void freed(int64_t wrappers, int64_t bytes) {
    wrappers_ = std::min(wrappers_, wrappers);
    bytes_ = std::min(bytes_, bytes);
  }

  /// Asked after each young collection; `bytes` is what that collection left.
  bool fullDue(int64_t bytes) {
    peak_ = std::max(peak_, bytes);
    if (++youngCollections_ == kYoungCollections) {
      limit_ = std::min(limit_, limitAbove(peak_));
      peak_ = 0;
      youngCollections_ = 0;
    }
    return bytes >= limit_;
  }

  void collectedFully(int64_t bytes) {
    limit_ = limitAbove(bytes);
    peak_ = 0;
    youngCollections_ = 0;
  }

 private:
  static constexpr int64_t kMiB = 1024 * 1024;
  static constexpr int64_t kWrappers = 2048;
  /// Bytes of large tensors: two of 4 MiB. With less, young collections cost more than warm blocks save; with
  /// more, each result lies in memory that no processor cache holds. Measured on a Xeon: 6,000 calls of relu
  /// of 1 Mi numbers took 3,230 ms when collecting every 8 MiB, 3,450 ms every 16 MiB; relu of 64 Ki numbers
  /// took 50 us every 2 MiB, 35 every 4, 33 every 6, 31 every 8 and 36 every 16, against 9 if each result is
  /// disposed.
  static constexpr int64_t kBytes = 8 * kMiB;
  /// About the size of a core's second-level cache: 512 tensors of 4 KiB. An addition of 1,024 numbers takes
  /// 1.9 us without this limit, 1.4 with it.
  static constexpr int64_t kCacheBytes = 2 * kMiB;
  static constexpr int64_t kFewWrappers = 256;

  static int64_t limitAbove(int64_t bytes) { return bytes + std::max(kGrowth, bytes / 2); }
  static constexpr int64_t kGrowth = 64 * kMiB;
  /// This many collections span some steps, so their peak is the most that a step holds, even after a large
  /// model was released.
  static constexpr int kYoungCollections = 64;

  int64_t wrappers_ = 0;
  int64_t bytes_ = 0;
  int64_t limit_ = kGrowth;
  int64_t peak_ = 0;
  int youngCollections_ = 0;
};

}  // namespace mpslab
